import LonghaulBus
import LonghaulSystem

/// Delays a sleep and a shutdown for as long as it takes to bring all sessions to a safe point (logind: `Inhibit`, mode
/// "delay"). One call for each kind: for both at once a service that lingers without a login is refused.
final class Inhibitors {
    private static let kinds = ["sleep", "shutdown"]
    private static let manager = Bus.Object(
        "org.freedesktop.login1", "/org/freedesktop/login1", interface: "org.freedesktop.login1.Manager")

    private unowned let bus: Bus
    private var held: [String: Descriptor] = [:]

    init(_ bus: Bus) {
        self.bus = bus
    }

    /// Takes those that are not held. Where there is no logind nothing can be delayed.
    func take() {
        for kind in Self.kinds where held[kind] == nil {
            let words = [kind, "Longhaul", "Transfers are brought to a safe point", "delay"]
            held[kind] = try? bus.call(
                Self.manager, "Inhibit", limit: BusSource.limit, starts: false,
                { message in words.forEach { message.text($0) } }, reading: { $0.descriptor() })
        }
    }

    /// Lets the machine go.
    func release() {
        held = [:]
    }
}
