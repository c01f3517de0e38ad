import LonghaulBus
import LonghaulCore
import LonghaulSystem

/// The user's systemd, over its private socket, like systemctl(1): it is available even without a bus.
struct UserManager {
    private static let patience = Duration.seconds(25)
    private static let name = "org.freedesktop.systemd1"

    private let socket: String

    /// Returns `nil` if the user has no systemd.
    init?(environment: [String: String]) {
        guard let runtime = environment["XDG_RUNTIME_DIR"] else { return nil }
        socket = runtime + "/systemd/private"
        guard Files.isThere(socket) else { return nil }
    }

    /// Starts a service unit; a template's instance is named after the session.
    func start(unit name: String, for request: WakeRequest) -> WakeReport {
        let isTemplate = name.hasSuffix("@.service")
        let unit = isTemplate ? "\(name.dropLast(8))\(request.session).service" : name
        return call("StartUnit") { message in
            message.text(unit)
            message.text("replace")
        }
    }

    /// Runs a program as a separate unit. Each session has one: while it runs, the app runs.
    func run(_ arguments: [String], for request: WakeRequest, environment: [String: String]) -> WakeReport {
        let unit = "app-longhaul-\(request.session).service"
        let places = ["XDG_RUNTIME_DIR", "XDG_STATE_HOME"].compactMap { name in environment[name].map { (name, $0) } }
        let variables = (places + request.variables).map { $0 + "=" + $1 }
        return call("StartTransientUnit") { message in
            message.text(unit)
            message.text("fail")
            message.array(of: "(sv)") { properties in
                properties.property("Description", "Started for transfers of \(request.session)")
                properties.property("Slice", "app.slice")
                properties.property("CollectMode", "inactive-or-failed")
                properties.structure("sv") { property in
                    property.text("Environment")
                    property.variant("as") { $0.array(of: "s") { list in variables.forEach { list.text($0) } } }
                }
                properties.structure("sv") { property in
                    property.text("ExecStart")
                    property.variant("a(sasb)") { variant in
                        variant.array(of: "(sasb)") { commands in
                            commands.structure("sasb") { command in
                                command.text(arguments[0])
                                command.array(of: "s") { list in arguments.forEach { list.text($0) } }
                                command.flag(false)
                            }
                        }
                    }
                }
            }
            message.array(of: "(sa(sv))") { _ in }
        }
    }

    private func call(_ member: String, _ fill: (inout BusMessage) -> Void) -> WakeReport {
        do throws(Bus.Refusal) {
            let bus = try Bus(.peer(path: socket))
            let manager = Bus.Object(Self.name, "/org/freedesktop/systemd1", interface: Self.name + ".Manager")
            try bus.call(manager, member, limit: Self.patience, fill)
            return WakeReport(.started)
        } catch {
            return report(error)
        }
    }

    private func report(_ refusal: Bus.Refusal) -> WakeReport {
        switch refusal.name {
        case "": WakeReport(.unreachable, "Could not connect to the user's systemd: \(refusal.message).")
        // The unit of an earlier start exists: the app is running.
        case Self.name + ".UnitExists": WakeReport(.started)
        case Self.name + ".NoSuchUnit": WakeReport(.missing, "The app's unit is not installed: \(refusal.message)")
        default: WakeReport(.refused, "The user's systemd refused: \(refusal.message) [\(refusal.name)].")
        }
    }
}

extension BusMessage {
    fileprivate mutating func property(_ name: String, _ value: String) {
        structure("sv") { property in
            property.text(name)
            property.variant("s") { $0.text(value) }
        }
    }
}
