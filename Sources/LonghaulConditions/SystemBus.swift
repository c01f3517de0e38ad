import CSystemd
import Glibc

/// A connection to the system bus, for one thread. Everything that it cannot tell is `nil`: a missing bus or service is
/// no error.
final class SystemBus {
    /// A signal's interface, member, and first argument where that is a flag.
    typealias Listener = (_ interface: String, _ member: String, _ flag: Bool?) -> Void

    /// How long a service may take to answer. It is the monitor that waits, and nobody else.
    private static let limit: UInt64 = 1_000_000

    private let handle: OpaquePointer
    private var listener: Listener = { _, _, _ in }

    /// Fails when there is no bus. Without an address it is that of `DBUS_SYSTEM_BUS_ADDRESS`, or the usual one.
    init?(address: String? = nil) {
        var handle: OpaquePointer?
        guard let address else {
            guard sd_bus_open_system(&handle) >= 0, let handle else { return nil }
            self.handle = handle
            return
        }
        guard sd_bus_new(&handle) >= 0, let handle else { return nil }
        guard sd_bus_set_address(handle, address) >= 0, sd_bus_set_bus_client(handle, 1) >= 0,
            sd_bus_start(handle) >= 0
        else {
            sd_bus_unref(handle)
            return nil
        }
        self.handle = handle
    }

    deinit {
        sd_bus_flush_close_unref(handle)
    }

    var descriptor: Int32 { sd_bus_get_fd(handle) }
    var events: Int16 { Int16(max(0, sd_bus_get_events(handle))) }

    /// Handles what has come; false when the bus is gone.
    func process() -> Bool {
        while true {
            let result = sd_bus_process(handle, nil)
            if result < 0 { return false }
            if result == 0 { return sd_bus_is_open(handle) > 0 }
        }
    }

    /// From now on the signals that fit the rules come to `listener`. False when the bus does not answer.
    func listen(_ rules: [String], _ listener: @escaping Listener) -> Bool {
        self.listener = listener
        let context = Unmanaged.passUnretained(self).toOpaque()
        return rules.allSatisfy { sd_bus_add_match(handle, nil, $0, signalArrived, context) >= 0 }
    }

    fileprivate func hear(_ message: OpaquePointer) {
        let interface = sd_bus_message_get_interface(message).map { String(cString: $0) } ?? ""
        let member = sd_bus_message_get_member(message).map { String(cString: $0) } ?? ""
        var flag: Int32 = 0
        let hasFlag = sd_bus_message_has_signature(message, "b") > 0 && BusReading(message).basic("b", &flag)
        listener(interface, member, hasFlag ? flag != 0 : nil)
    }

    /// A property's value. `starts` lets the bus start the service for it.
    func property(
        _ destination: String, _ path: String, _ interface: String, _ name: String, starts: Bool = false
    ) -> BusValue? {
        let reply = call(
            destination, path, "org.freedesktop.DBus.Properties", "Get", [interface, name], starts: starts)
        return reply.flatMap { $0.reading.value() }
    }

    /// Calls a method whose arguments are texts, and waits for its answer.
    func call(
        _ destination: String, _ path: String, _ interface: String, _ member: String, _ arguments: [String] = [],
        starts: Bool = false
    ) -> BusReply? {
        var call: OpaquePointer?
        guard sd_bus_message_new_method_call(handle, &call, destination, path, interface, member) >= 0, let call
        else { return nil }
        defer { sd_bus_message_unref(call) }
        sd_bus_message_set_auto_start(call, starts ? 1 : 0)
        for argument in arguments {
            guard sd_bus_message_append_basic(call, CChar(UInt8(ascii: "s")), argument) >= 0 else { return nil }
        }
        var reply: OpaquePointer?
        guard sd_bus_call(handle, call, Self.limit, nil, &reply) >= 0, let reply else { return nil }
        return BusReply(reply)
    }
}

/// What a bus property holds, as far as anybody here needs it.
enum BusValue: Equatable {
    case flag(Bool)
    case number(Int64)
    case real(Double)
    case text(String)

    var flag: Bool? { if case .flag(let value) = self { value } else { nil } }
    var number: Int64? { if case .number(let value) = self { value } else { nil } }
    var real: Double? { if case .real(let value) = self { value } else { nil } }
    var text: String? { if case .text(let value) = self { value } else { nil } }
}

private func signalArrived(
    _ message: OpaquePointer?, _ context: UnsafeMutableRawPointer?, _ error: UnsafeMutablePointer<sd_bus_error>?
) -> Int32 {
    guard let message, let context else { return 0 }
    Unmanaged<SystemBus>.fromOpaque(context).takeUnretainedValue().hear(message)
    return 0
}
