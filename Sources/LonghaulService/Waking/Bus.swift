import CSystemd
import Glibc
import LonghaulCore

/// A connection to a message bus. It belongs to the thread that makes it.
struct Bus: ~Copyable {
    /// What was answered when a call failed.
    struct Refusal: Error {
        /// The error's name on the bus; empty when the bus could not be reached.
        var name: String
        var message: String
    }

    private let handle: OpaquePointer

    /// The bus of the user's session.
    init() throws(Refusal) {
        var handle: OpaquePointer?
        let result = sd_bus_open_user(&handle)
        guard result >= 0, let handle else { throw Self.unreachable(-result) }
        self.handle = handle
    }

    /// A peer at the other end of a socket, without a bus between.
    init(peerAt path: String) throws(Refusal) {
        var handle: OpaquePointer?
        var result = sd_bus_new(&handle)
        guard result >= 0, let handle else { throw Self.unreachable(-result) }
        result = sd_bus_set_address(handle, "unix:path=" + Self.escaped(path))
        if result >= 0 { result = sd_bus_start(handle) }
        guard result >= 0 else {
            sd_bus_unref(handle)
            throw Self.unreachable(-result)
        }
        self.handle = handle
    }

    deinit {
        sd_bus_flush_close_unref(handle)
    }

    /// Calls a method and waits for its answer, so that whoever is started for it gets it: a call whose sender is gone
    /// is dropped by the bus.
    func call(
        _ destination: String, _ path: String, _ interface: String, _ member: String, limit: Span,
        _ fill: (inout BusMessage) -> Void
    ) throws(Refusal) {
        try call(destination, path, interface, member, limit: limit, fill) { _ in () }
    }

    /// The same for a method whose answer matters; `read` gives `nil` for an answer of another form than it should have.
    func call<Value>(
        _ destination: String, _ path: String, _ interface: String, _ member: String, limit: Span,
        _ fill: (inout BusMessage) -> Void, reading read: (inout BusReader) -> Value?
    ) throws(Refusal) -> Value {
        var call: OpaquePointer?
        let result = sd_bus_message_new_method_call(handle, &call, destination, path, interface, member)
        guard result >= 0, let call else { throw Self.unreachable(-result) }
        defer { sd_bus_message_unref(call) }
        var message = BusMessage(call)
        fill(&message)
        guard message.result >= 0 else { throw Self.unreachable(-message.result) }
        var error = sd_bus_error()
        var reply: OpaquePointer?
        let answer = sd_bus_call(handle, call, UInt64(limit.microseconds), &error, &reply)
        defer {
            sd_bus_error_free(&error)
            sd_bus_message_unref(reply)
        }
        if answer >= 0, let reply {
            var reader = BusReader(reply)
            if let value = read(&reader) { return value }
            throw Refusal(name: "org.freedesktop.DBus.Error.InvalidArgs", message: "the answer has another form")
        }
        guard let name = error.name else { throw Self.unreachable(-answer) }
        throw Refusal(
            name: String(cString: name), message: error.message.map { String(cString: $0) } ?? "")
    }

    /// What becomes readable when something arrives.
    var descriptor: Int32 { sd_bus_get_fd(handle) }

    /// What the descriptor is to be waited for with.
    var events: Int16 { Int16(truncatingIfNeeded: max(0, sd_bus_get_events(handle))) }

    /// Takes in what has arrived, one signal after the other, until nothing is left. Throws when the bus is gone.
    func takeSignals(_ take: (BusSignal) -> Void) throws(Refusal) {
        while true {
            var message: OpaquePointer?
            let result = sd_bus_process(handle, &message)
            defer { sd_bus_message_unref(message) }
            guard result >= 0 else { throw Self.unreachable(-result) }
            if let message, let signal = BusSignal(message) { take(signal) }
            if result == 0 { return }
        }
    }

    private static func unreachable(_ code: Int32) -> Refusal {
        Refusal(name: "", message: String(cString: strerror(code)))
    }

    /// D-Bus Specification, "Server Addresses": everything outside of a small alphabet is a percent sign and two digits.
    private static func escaped(_ path: String) -> String {
        let digits = Array("0123456789abcdef".utf8)
        let bytes = path.utf8.flatMap { byte -> [UInt8] in
            let isPlain =
                isalnum(Int32(byte)) != 0 && byte < 0x80 || "-_/.\\*".utf8.contains(byte)
            return isPlain ? [byte] : [UInt8(ascii: "%"), digits[Int(byte >> 4)], digits[Int(byte & 15)]]
        }
        return String(decoding: bytes, as: UTF8.self)
    }
}

/// The arguments of a call, one after the other. The first failure is kept, and nothing is added after it.
struct BusMessage {
    private let handle: OpaquePointer
    private(set) var result: Int32 = 0

    fileprivate init(_ handle: OpaquePointer) {
        self.handle = handle
    }

    mutating func text(_ value: String) {
        note(value.withCString { sd_bus_message_append_basic(handle, Self.type("s"), $0) })
    }

    mutating func number(_ value: UInt32) {
        var value = value
        note(sd_bus_message_append_basic(handle, Self.type("u"), &value))
    }

    mutating func integer(_ value: Int32) {
        var value = value
        note(sd_bus_message_append_basic(handle, Self.type("i"), &value))
    }

    mutating func byte(_ value: UInt8) {
        var value = value
        note(sd_bus_message_append_basic(handle, Self.type("y"), &value))
    }

    mutating func flag(_ value: Bool) {
        var number: Int32 = value ? 1 : 0
        note(sd_bus_message_append_basic(handle, Self.type("b"), &number))
    }

    mutating func array(of contents: String, _ body: (inout BusMessage) -> Void) {
        container("a", contents, body)
    }

    mutating func structure(_ contents: String, _ body: (inout BusMessage) -> Void) {
        container("r", contents, body)
    }

    mutating func variant(_ contents: String, _ body: (inout BusMessage) -> Void) {
        container("v", contents, body)
    }

    mutating func entry(_ contents: String, _ body: (inout BusMessage) -> Void) {
        container("e", contents, body)
    }

    private mutating func container(_ kind: Unicode.Scalar, _ contents: String, _ body: (inout BusMessage) -> Void) {
        note(sd_bus_message_open_container(handle, Self.type(kind), contents))
        guard result >= 0 else { return }
        body(&self)
        note(sd_bus_message_close_container(handle))
    }

    private mutating func note(_ code: Int32) {
        if result >= 0 { result = code }
    }

    private static func type(_ letter: Unicode.Scalar) -> CChar { CChar(UInt8(ascii: letter)) }
}
