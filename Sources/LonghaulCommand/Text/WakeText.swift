import LonghaulCore

/// How a session stands with starting its app, for a person to read.
struct WakeText {
    let status: WakeStatus
    let world: World

    var lines: [String] {
        let events = HumanText.count(status.pendingEvents, "event")
        var rows = [("Events", status.pendingEvents == 0 ? "none waits" : events + " not acknowledged")]
        rows.append(("App", status.isAttached ? "here" : "not here"))
        rows.append(("Started", method))
        rows.append(("Next start", next))
        if let last = status.record.lastWakeAt {
            rows.append(("Last start", world.localTime(last) + outcome))
            rows.append(
                ("", HumanText.count(status.record.total, "start") + " in all, \(status.record.unanswered) unanswered"))
        }
        return rows.map { DisplayText.fit($0.0, 14) + DisplayText.clean($0.1) }
    }

    private var method: String {
        switch status.registration?.method {
        case nil: "by nobody: it has not registered how"
        case .dbus(let appID, let action): "on the session bus, \(appID), action \(action)"
        case .systemdUnit(let name): "by systemd, \(name)"
        case .command(let arguments): "by command, " + arguments.joined(separator: " ")
        }
    }

    private var next: String {
        switch status.hold {
        case nil: "now"
        case .notRegistered: "never: the app has not registered how it is started"
        case .launchEventsOff: "never: the app does not want to be started"
        case .nothingToTell: "when there is something to tell"
        case .attached: "not while the app is here"
        case .waking: "the app is being started"
        case .backingOff: status.nextWakeAt.map(world.localTime) ?? "later"
        case .runByApp: "not while the app runs the session"
        }
    }

    private var outcome: String {
        switch status.record.outcome {
        case nil: ""
        case .started: ", started" + (status.record.message.isEmpty ? "" : "; " + status.record.message)
        case .missing, .unreachable, .refused: ": " + status.record.message
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
