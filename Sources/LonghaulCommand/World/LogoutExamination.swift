import LonghaulCore
import LonghaulSystem

/// The settings that decide whether transfers continue after logout and after a reboot.
package struct LogoutExamination: Equatable, Sendable {
    /// The state of `longhaul.socket` and `longhaul.service` in the user's systemd, as far as files show it.
    enum Units: Equatable, Sendable {
        /// A command or an app starts the service itself.
        case missing
        /// A command or an app has systemd start the service.
        case installed
        /// The service starts with the user's systemd.
        case enabled
    }

    var user: String
    var hasSystemd: Bool
    /// Whether the user's systemd starts at boot and stays after the last logout.
    var lingers: Bool
    var units: Units
    /// Whether this command is the first process of a container, whose end stops the service too.
    var isFirstProcess = false

    var finding: Finding {
        let setUp = tr("Run longhaul setup.")
        let waitForCommand = tr("Transfers continue after logout. After a reboot, they wait for a command.")
        guard hasSystemd else {
            return Finding(
                "logout", .note, waitForCommand,
                remedy: tr("Without systemd, let cron run: @reboot longhaul service start"))
        }
        switch (units, lingers) {
        case (.enabled, true):
            return Finding("logout", .ok, tr("Transfers continue after logout and start at boot."))
        case (.enabled, false):
            return Finding(
                "logout", .warn, tr("Transfers stop at the last logout and continue at the next login."), remedy: setUp)
        case (.installed, true): return Finding("logout", .note, waitForCommand, remedy: setUp)
        case (.missing, true):
            return Finding(
                "logout", .note, waitForCommand, remedy: tr("Install the systemd units of Longhaul."))
        case (.installed, false):
            return Finding(
                "logout", .warn, tr("Transfers stop at the last logout and continue with the next command."),
                remedy: setUp)
        case (.missing, false):
            return Finding(
                "logout", .warn,
                tr(
                    "Transfers may stop at logout: if logind kills user processes (KillUserProcesses=yes), or if the desktop started the service. After a reboot, they wait for a command."
                ),
                remedy: tr("Install the systemd units of Longhaul, then run longhaul setup."))
        }
    }

    /// The notice for users whose transfers stop at logout; `nil` if they continue.
    var notice: String? {
        guard hasSystemd, !lingers else { return nil }
        return units == .missing
            ? tr("Transfers may stop at logout. To change that, run longhaul setup.")
            : tr("Transfers stop at logout. To change that, run longhaul setup.")
    }
}

extension LogoutExamination {
    init(environment: [String: String]) {
        hasSystemd = LocalFiles.isDirectory("/run/systemd/system")
        user = UserAccount(ThisProcess.user)?.name ?? ""
        lingers = !user.isEmpty && LocalFiles.exists("/var/lib/systemd/linger/" + user)
        units = Units(environment)
        isFirstProcess = ThisProcess.id == 1
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
