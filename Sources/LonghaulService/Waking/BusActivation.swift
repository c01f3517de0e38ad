import LonghaulBus
import LonghaulCore

/// Starts an app by its name on the session bus: the interface `org.freedesktop.Application` (Desktop Entry Specification, "D-Bus
/// Activation").
struct BusActivation {
    /// An app with a window may start slowly on a cold disk.
    private static let patience = Duration.seconds(60)

    let appID: String
    let action: String

    func activate(for request: WakeRequest) -> WakeReport {
        do throws(Bus.Refusal) {
            let bus = try Bus(.user)
            try bus.call(
                .init(appID, objectPath, interface: "org.freedesktop.Application"), "ActivateAction",
                limit: Self.patience
            ) { message in
                message.text(action)
                message.array(of: "v") { list in
                    list.variant("s") { $0.text(request.session) }
                }
                message.array(of: "{sv}") { platform in
                    for (key, value) in platformData(request) {
                        platform.entry("sv") { entry in
                            entry.text(key)
                            entry.variant("s") { $0.text(value) }
                        }
                    }
                }
            }
            return WakeReport(.started)
        } catch {
            return report(error)
        }
    }

    /// "The object path is the application's name with dots changed to slashes and hyphens to underscores."
    private var objectPath: String {
        "/" + String(appID.map { $0 == "." ? "/" : $0 == "-" ? "_" : $0 })
    }

    /// Data for the app besides the session; apps that do not know it ignore it.
    private func platformData(_ request: WakeRequest) -> [(String, String)] {
        let all = [
            ("longhaul-reason", request.reason.rawValue), ("longhaul-transfer", request.transfer?.description ?? ""),
            ("longhaul-task", request.task ?? ""), ("longhaul-notification", request.notification ?? ""),
            // Known to toolkits: Desktop Entry Specification, "D-Bus Activation".
            ("activation-token", request.activationToken ?? ""),
        ]
        return all.filter { !$0.1.isEmpty }
    }

    private func report(_ refusal: Bus.Refusal) -> WakeReport {
        let prefix = "org.freedesktop.DBus.Error."
        guard refusal.name.hasPrefix(prefix) else {
            guard refusal.name.isEmpty else {
                return WakeReport(.refused, "\(appID) refused \(action): \(refusal.message) [\(refusal.name)].")
            }
            return WakeReport(.unreachable, "Could not connect to the session bus: \(refusal.message).")
        }
        switch refusal.name.dropFirst(prefix.count) {
        case "ServiceUnknown", "NameHasNoOwner", "Spawn.ExecFailed", "Spawn.FileInvalid", "Spawn.ServiceNotFound",
            "Spawn.ServiceNotValid":
            return WakeReport(
                .missing, "\(appID) is not installed: the session bus has no service with this name.")
        case "NoReply", "Timeout", "TimedOut", "Disconnected", "NoServer", "Spawn.ChildExited", "Spawn.ChildSignaled",
            "Spawn.Failed":
            return WakeReport(
                .unreachable,
                "\(appID) did not start: \(refusal.message). An app with windows needs a display.")
        default:
            return WakeReport(.refused, "\(appID) refused \(action): \(refusal.message) [\(refusal.name)].")
        }
    }
}
