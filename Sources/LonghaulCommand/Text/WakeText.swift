import LonghaulCore

/// The starts of a session's app, for the user.
struct WakeText {
    let status: WakeStatus
    let world: World

    var lines: [String] {
        let events =
            switch status.pendingEvents {
            case 0: tr("none pending")
            case 1: tr("1 event not acknowledged")
            default: tr("\(status.pendingEvents) events not acknowledged")
            }
        var rows = [
            (tr("Events"), events), (tr("App"), status.isAttached ? tr("running") : tr("not running")),
            (tr("Started by"), method), (tr("Next start"), next),
        ]
        if let last = status.record.lastWakeAt {
            rows.append((tr("Last start"), world.localTime(last) + outcome))
            rows.append((tr("Starts"), tr("\(status.record.total) in total, \(status.record.unanswered) unanswered")))
        }
        return rows.map { DisplayText.fit($0.0, 14) + DisplayText.clean($0.1) }
    }

    private var method: String {
        switch status.registration?.method {
        case nil: tr("none: the app has not registered how to start it")
        case .dbus(let appID, let action): tr("the session bus: \(appID), action \(action)")
        case .systemdUnit(let name): tr("systemd: \(name)")
        case .command(let arguments): tr("the command \(arguments.joined(separator: " "))")
        }
    }

    private var next: String {
        switch status.hold {
        case nil: tr("now")
        case .notRegistered: tr("never: the app has not registered how to start it")
        case .launchEventsOff: tr("never: the app has turned launch events off")
        case .nothingToTell: tr("at the next event")
        case .attached: tr("not while the app is running")
        case .waking: tr("the app is starting")
        case .backingOff: status.nextWakeAt.map(world.localTime) ?? tr("later")
        case .runByApp: tr("not while the app runs the session")
        }
    }

    private var outcome: String {
        let message = status.record.message
        return switch status.record.outcome {
        case nil: ""
        case .started: message.isEmpty ? tr(", started") : tr(", started; \(message)")
        case .missing, .unreachable, .refused: ": " + message
        }
    }
}

extension JSONWriter {
    /// The members of a session's wake status.
    mutating func members(of status: WakeStatus) {
        member("pendingEvents", status.pendingEvents)
        member("isAttached", status.isAttached)
        member("method", status.registration?.method.word)
        member("sessionSendsLaunchEvents", status.registration?.sessionSendsLaunchEvents ?? false)
        member("hold", status.hold?.word)
        member("nextWakeAt", status.nextWakeAt)
        member("wakes", status.record.total)
        member("unansweredWakes", status.record.unanswered)
        member("lastWakeAt", status.record.lastWakeAt)
        member("lastOutcome", status.record.outcome?.word)
        member("message", status.record.message.isEmpty ? nil : status.record.message)
    }
}

extension WakeMethod {
    fileprivate var word: String {
        switch self {
        case .dbus: "dbus"
        case .systemdUnit: "systemdUnit"
        case .command: "command"
        }
    }
}

extension WakeHold {
    fileprivate var word: String {
        switch self {
        case .notRegistered: "notRegistered"
        case .launchEventsOff: "launchEventsOff"
        case .nothingToTell: "nothingToTell"
        case .attached: "attached"
        case .waking: "waking"
        case .backingOff: "backingOff"
        case .runByApp: "runByApp"
        }
    }
}

extension WakeOutcome {
    fileprivate var word: String {
        switch self {
        case .started: "started"
        case .missing: "missing"
        case .unreachable: "unreachable"
        case .refused: "refused"
        }
    }
}
