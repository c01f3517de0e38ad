import CSystemd
import Glibc

/// A name on the session bus, and its incoming calls: the minimum for activating an app without a toolkit.
struct BusName {
    private var bus: OpaquePointer?

    init(_ name: String) {
        guard sd_bus_open_user(&bus) >= 0, sd_bus_request_name(bus, name, 0) >= 0 else { exit(71) }
    }

    /// Waits for `org.freedesktop.Application.ActivateAction`, answers it, and returns its parameter. Keeps the name.
    func waitForAction() -> String {
        while true {
            var message: OpaquePointer?
            let result = sd_bus_process(bus, &message)
            guard result >= 0 else { exit(72) }
            defer { sd_bus_message_unref(message) }
            if let message, sd_bus_message_is_method_call(message, "org.freedesktop.Application", "ActivateAction") > 0
            {
                let session = parameter(of: message)
                var reply: OpaquePointer?
                if sd_bus_message_new_method_return(message, &reply) >= 0 { sd_bus_send(bus, reply, nil) }
                sd_bus_message_unref(reply)
                sd_bus_flush(bus)
                return session
            }
            if result == 0 { sd_bus_wait(bus, .max) }
        }
    }

    /// The signature is `sava{sv}`: the action's name, its parameters, and what the desktop adds.
    private func parameter(of message: OpaquePointer) -> String {
        var action: UnsafePointer<CChar>?
        var session: UnsafePointer<CChar>?
        let text = CChar(UInt8(ascii: "s"))
        guard sd_bus_message_read_basic(message, text, &action) > 0,
            sd_bus_message_enter_container(message, CChar(UInt8(ascii: "a")), "v") > 0,
            sd_bus_message_enter_container(message, CChar(UInt8(ascii: "v")), "s") > 0,
            sd_bus_message_read_basic(message, text, &session) > 0, let session
        else { exit(73) }
        return String(cString: session)
    }
}
