import LonghaulCore
import LonghaulSystem

/// What becomes of transfers at the last logout and after a reboot.
struct LogoutExamination {
    /// What the user's systemd knows of `longhaul.socket` and `longhaul.service`, as far as files show it.
    enum Units: Equatable {
        /// A command or an app starts the service by itself.
        case missing
        /// A command or an app has systemd start the service.
        case installed
        /// The service starts with the user's systemd.
        case enabled
    }

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
        let linger = "loginctl enable-linger"
        let enabling = "systemctl --user enable --now longhaul.socket longhaul.service"
        switch (units, lingers) {
        case (.enabled, true):
            return Finding("logout", .ok, "transfers go on after logout, and at boot")
        case (.enabled, false):
            return Finding(
                "logout", .warn, "transfers stop at the last logout and go on at the next login",
                remedy: "run: " + linger)
        case (.installed, true), (.missing, true):
            return Finding(
                "logout", .note, "transfers go on after logout; after a reboot they wait for a command",
                remedy: units == .installed ? "run: " + enabling : "install the units of systemd")
        case (.installed, false):
            return Finding(
                "logout", .warn, "transfers stop at the last logout and go on at the next command",
                remedy: "run: \(linger) && \(enabling)")
        case (.missing, false):
            return Finding(
                "logout", .warn,
                "transfers go on after logout unless logind ends them (KillUserProcesses=yes, or the service was started "
                    + "from a desktop's own unit); after a reboot they wait for a command",
                remedy: "install the units of systemd, and run: " + linger)
        }
    }
}

extension LogoutExamination {
    init(environment: [String: String]) {
        hasSystemd = LocalFiles.isDirectory("/run/systemd/system")
        let user = UserAccount(ThisProcess.user)?.name
        lingers = user.map { LocalFiles.exists("/var/lib/systemd/linger/" + $0) } ?? false
        units = Units(environment)
    }
}

extension LogoutExamination.Units {
    init(_ environment: [String: String]) {
        let own = environment["XDG_CONFIG_HOME"] ?? environment["HOME"].map { $0 + "/.config" }
        let places = [own, "/etc", "/usr/local/lib", "/usr/lib"].compactMap { $0.map { $0 + "/systemd/user/" } }
        func isThere(_ name: String) -> Bool { places.contains { LocalFiles.exists($0 + name) } }
        if isThere("default.target.wants/longhaul.service") {
            self = .enabled
        } else {
            self = isThere("longhaul.socket") ? .installed : .missing
        }
    }
}
