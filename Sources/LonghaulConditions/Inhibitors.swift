import LonghaulBus
import LonghaulSystem

/// Delays a sleep or a shutdown until all sessions are at a synced offset (logind: `Inhibit`, mode "delay"). One call
/// for each kind: logind refuses both at once for a service that lingers without a login.
final class Inhibitors {
    private static let kinds = ["sleep", "shutdown"]
    private static let manager = Bus.Object(
        "org.freedesktop.login1", "/org/freedesktop/login1", interface: "org.freedesktop.login1.Manager")

    private unowned let bus: Bus
    private var held: [String: Descriptor] = [:]

    init(_ bus: Bus) {
        self.bus = bus
    }

    /// Takes the locks that are not held. Without logind, nothing can be delayed.
    func acquire() {
        for kind in Self.kinds where held[kind] == nil {
            let words = [kind, "Longhaul", "Transfers are brought to a safe point", "delay"]
            held[kind] = try? bus.call(
                Self.manager, "Inhibit", limit: BusSource.limit, starts: false,
                { message in words.forEach { message.text($0) } }, reading: { $0.descriptor() })
        }
    }

    /// Releases the locks, so that the machine can sleep.
    func release() {
        held = [:]
    }
}
