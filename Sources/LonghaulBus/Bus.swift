import CSystemd
import LonghaulCore
package import LonghaulSystem

/// A connection to a message bus (sd-bus(3)). It belongs to the thread that creates it.
package final class Bus {
    /// The error of a failed call.
    package struct Refusal: Error {
        /// The error's name on the bus; empty when the bus could not be reached.
        package var name: String
        package var message: String
    }

    /// The peer of a connection.
    package enum Place {
        /// The bus of the user's session.
        case user
        /// The system bus: `DBUS_SYSTEM_BUS_ADDRESS`, or the usual address.
        case system
        /// A bus at an address.
        case address(String)
        /// A peer at the other end of a socket, without a bus.
        case peer(path: String)
    }

    /// The target of a method call.
    package struct Object {
        var destination: String
        var path: String
        var interface: String

        /// The interface defaults to the name of the service.
        package init(_ destination: String, _ path: String, interface: String? = nil) {
            self.destination = destination
            self.path = path
            self.interface = interface ?? destination
        }

        /// The bus itself.
        package static let bus = Object("org.freedesktop.DBus", "/org/freedesktop/DBus")
    }

    private let handle: OpaquePointer

    package init(_ place: Place) throws(Refusal) {
        var handle: OpaquePointer?
        let result =
            switch place {
            case .user: sd_bus_open_user(&handle)
            case .system: sd_bus_open_system(&handle)
            case .address(let address): Self.start(&handle, address, isBus: true)
            case .peer(let path): Self.start(&handle, "unix:path=" + Self.escaped(path), isBus: false)
            }
        guard result >= 0, let handle else { throw Self.unreachable(-result) }
        self.handle = handle
    }

    deinit {
        sd_bus_flush_close_unref(handle)
    }

    private static func start(_ handle: inout OpaquePointer?, _ address: String, isBus: Bool) -> Int32 {
        var new: OpaquePointer?
        var result = sd_bus_new(&new)
        if result >= 0 { result = sd_bus_set_address(new, address) }
        if result >= 0 { result = sd_bus_set_bus_client(new, isBus ? 1 : 0) }
        if result >= 0 { result = sd_bus_start(new) }
        if result < 0 { sd_bus_unref(new) } else { handle = new }
        return result
    }

    /// Calls a method and waits for its answer, so that a service that is started for the call receives it: the bus
    /// drops a call whose sender has disconnected. `starts` lets the bus start the service.
    package func call(
        _ object: Object, _ member: String, limit: Duration, starts: Bool = true, _ fill: (inout BusMessage) -> Void
    ) throws(Refusal) {
        try call(object, member, limit: limit, starts: starts, fill) { _ in () }
    }

    /// Calls a method and reads its answer; `read` returns `nil` for an answer of the wrong type.
    package func call<Value>(
        _ object: Object, _ member: String, limit: Duration, starts: Bool = true, _ fill: (inout BusMessage) -> Void,
        reading read: (BusReader) -> Value?
    ) throws(Refusal) -> Value {
        var call: OpaquePointer?
        let result = sd_bus_message_new_method_call(
            handle, &call, object.destination, object.path, object.interface, member)
        guard result >= 0, let call else { throw Self.unreachable(-result) }
        defer { sd_bus_message_unref(call) }
        sd_bus_message_set_auto_start(call, starts ? 1 : 0)
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
            if let value = read(BusReader(reply)) { return value }
            throw Refusal(name: "org.freedesktop.DBus.Error.InvalidArgs", message: "the answer has another form")
        }
        guard let name = error.name else { throw Self.unreachable(-answer) }
        throw Refusal(
            name: String(cString: name), message: error.message.map { String(cString: $0) } ?? "")
    }

    /// Returns a property's value; `nil` if it is not available, or if its type is not supported.
    package func property(_ object: Object, _ name: String, limit: Duration, starts: Bool) -> BusValue? {
        let properties = Object(object.destination, object.path, interface: "org.freedesktop.DBus.Properties")
        // The reason for a missing value does not matter.
        return try? call(properties, "Get", limit: limit, starts: starts) { message in
            message.text(object.interface)
            message.text(name)
        } reading: {
            $0.value()
        }
    }

    /// Subscribes to the signals that match the rule, for `takeSignals`.
    package func listen(_ rule: String, limit: Duration) throws(Refusal) {
        try call(.bus, "AddMatch", limit: limit) { $0.text(rule) }
    }

    /// The descriptor that becomes readable when a message arrives, and the events to wait for.
    package var descriptor: Int32 { sd_bus_get_fd(handle) }
    package var readiness: Readiness { Readiness(pollEvents: max(0, sd_bus_get_events(handle))) }

    /// Processes the received signals one by one. Throws if the bus is gone.
    package func takeSignals(_ take: (BusSignal) -> Void) throws(Refusal) {
        while true {
            var message: OpaquePointer?
            let result = sd_bus_process(handle, &message)
            defer { sd_bus_message_unref(message) }
            guard result >= 0 else { throw Self.unreachable(-result) }
            if let message, let signal = BusSignal(message) { take(signal) }
            if result > 0 { continue }
            guard sd_bus_is_open(handle) > 0 else { throw Refusal(name: "", message: "the connection is closed") }
            return
        }
    }

    private static func unreachable(_ code: Int32) -> Refusal {
        Refusal(name: "", message: SystemError(code).text)
    }

    /// D-Bus Specification, "Server Addresses": all characters outside of a small alphabet are percent-encoded.
    private static func escaped(_ path: String) -> String {
        let digits = Array("0123456789abcdef".utf8)
        let bytes = path.utf8.flatMap { byte -> [UInt8] in
            let character = Character(Unicode.Scalar(byte))
            let isPlain =
                character.isASCII && (character.isLetter || character.isNumber) || "-_/.\\*".contains(character)
            return isPlain ? [byte] : [UInt8(ascii: "%"), digits[Int(byte >> 4)], digits[Int(byte & 15)]]
        }
        return String(decoding: bytes, as: UTF8.self)
    }
}
