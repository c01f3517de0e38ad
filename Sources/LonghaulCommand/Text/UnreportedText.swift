import LonghaulCore
import LonghaulSystem

/// Notices about options that have no effect on this system: no source reports the condition, or no bus takes the notification.
enum UnreportedText {
    static func lines(_ rules: ConditionRules, _ conditions: Conditions) -> [String] {
        rules.unreported(in: conditions).map { condition in
            let (subject, remedy) = text(condition)
            return tr("This condition has no effect now: no source on this system reports \(subject). \(remedy)")
        }
    }

    /// Reports them on standard error. A service that does not answer reports its failure elsewhere.
    static func say(_ rules: ConditionRules, _ arguments: Arguments, _ world: World) async {
        guard rules != ConditionRules(), !arguments.has(.quiet), let service = try? await world.connect(true) else {
            return
        }
        defer { service.close() }
        guard let conditions = try? await service.conditions().effective else { return }
        for line in lines(rules, conditions) { world.console.say("longhaul: " + line) }
    }

    /// Reports on standard error that no notification can be shown. The service uses the same bus.
    static func sayIfUnnotified(_ arguments: Arguments, _ world: World) {
        guard arguments.has(.notify), !arguments.has(.quiet), world.environment["DBUS_SESSION_BUS_ADDRESS"] == nil,
            let paths = try? LonghaulPaths(environment: world.environment),
            !(paths.runtimeDirectory.map { LocalFiles.exists($0 + "/bus") } ?? false)
        else { return }
        world.console.say(
            "longhaul: "
                + tr(
                    "--notify has no effect now: there is no session bus. Log in to a desktop, or install dbus-user-session."
                ))
    }

    private static func text(_ condition: ReportedCondition) -> (subject: String, remedy: String) {
        switch condition {
        case .metered:
            (tr("whether the network is metered"), source("NetworkManager", "metered yes"))
        case .dataSaver:
            (tr("data-saver mode"), tr("Set it by hand: longhaul conditions set constrained yes."))
        case .roaming: (tr("whether the modem is roaming"), source("ModemManager", "roaming yes"))
        case .link: (tr("the kind of link"), source("NetworkManager", "link wifi"))
        case .externalPower: (tr("external power"), source("UPower", "power no"))
        case .batteryLevel: (tr("the battery level"), tr("Install UPower."))
        case .idle: (tr("whether the machine is idle"), source("logind", "idle no"))
        }
    }

    private static func source(_ program: String, _ setting: String) -> String {
        tr("Install \(program), or set the value: longhaul conditions set \(setting).")
    }
}
