import LonghaulCore
import LonghaulSystem

/// What becomes of transfers at the last logout and after a reboot.
package struct LogoutExamination: Equatable, Sendable {
    /// What the user's systemd knows of `longhaul.socket` and `longhaul.service`, as far as files show it.
    enum Units: Equatable, Sendable {
        /// A command or an app starts the service by itself.
        case missing
        /// A command or an app has systemd start the service.
        case installed
        /// The service starts with the user's systemd.
        case enabled
    }

    var user: String
    var hasSystemd: Bool
    /// Whether the user's systemd is there from boot on and stays after the last logout.
    var lingers: Bool
    var units: Units

    var finding: Finding {
        guard hasSystemd else {
            return Finding(
                "logout", .note, "no systemd: transfers go on after logout; after a reboot they wait for a command",
                remedy: "cron can give it: @reboot longhaul service start")
        }
        switch (units, lingers) {
        case (.enabled, true):
            return Finding("logout", .ok, "transfers go on after logout, and at boot")
        case (.enabled, false):
            return Finding(
                "logout", .warn, "transfers stop at the last logout and go on at the next login",
                remedy: Self.remedy)
        case (.installed, true), (.missing, true):
            return Finding(
                "logout", .note, "transfers go on after logout; after a reboot they wait for a command",
                remedy: units == .installed ? Self.remedy : "install the units of systemd")
        case (.installed, false):
            return Finding(
                "logout", .warn, "transfers stop at the last logout and go on at the next command",
                remedy: Self.remedy)
        case (.missing, false):
            return Finding(
                "logout", .warn,
                "transfers go on after logout unless logind ends them (KillUserProcesses=yes, or the service was started "
                    + "from a desktop's own unit); after a reboot they wait for a command",
                remedy: "install the units of systemd, and " + Self.remedy)
        }
    }

    private static let remedy = "run: longhaul setup"
}

extension LogoutExamination {
    init(environment: [String: String]) {
        hasSystemd = LocalFiles.isDirectory("/run/systemd/system")
        user = UserAccount(ThisProcess.user)?.name ?? ""
        lingers = !user.isEmpty && LocalFiles.exists("/var/lib/systemd/linger/" + user)
        units = Units(environment)
    }
}

extension LogoutExamination.Units {
    init(_ environment: [String: String]) {
        let own = environment["XDG_CONFIG_HOME"] ?? environment["HOME"].map { $0 + "/.config" }
        let data = environment["XDG_DATA_HOME"] ?? environment["HOME"].map { $0 + "/.local/share" }
        let shared = ["/etc", "/usr/local/lib", "/usr/local/share", "/usr/lib", "/usr/share"]
        let places = ([own, data] + shared).compactMap { $0.map { $0 + "/systemd/user/" } }
        func isThere(_ name: String) -> Bool { places.contains { LocalFiles.exists($0 + name) } }
        if isThere("default.target.wants/longhaul.service") {
            self = .enabled
        } else {
            self = isThere("longhaul.socket") ? .installed : .missing
        }
    }
}
