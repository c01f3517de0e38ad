import LonghaulIPC

/// Delays a sleep and a shutdown for as long as it takes to bring all sessions to a safe point (logind: `Inhibit`, mode
/// "delay"). One call for each kind: for both at once a service that lingers without a login is refused.
final class Inhibitors {
    private static let kinds = ["sleep", "shutdown"]

    private unowned let bus: SystemBus
    private var held: [String: Descriptor] = [:]

    init(_ bus: SystemBus) {
        self.bus = bus
    }

    /// Takes those that are not held. Where there is no logind nothing can be delayed.
    func take() {
        for kind in Self.kinds where held[kind] == nil {
            let reply = bus.call(
                "org.freedesktop.login1", "/org/freedesktop/login1", "org.freedesktop.login1.Manager", "Inhibit",
                [kind, "Longhaul", "Transfers are brought to a safe point", "delay"])
            held[kind] = reply?.descriptor
        }
    }

    /// Lets the machine go.
    func release() {
        held = [:]
    }
}
