extension WakeMethod: WireChoice {
    package static func cases(_ value: inout Self?, _ wire: inout WireFields) throws(WireError) {
        try wire.message(&value, 1, { Self.dbus(appID: $0.appID, action: $0.action) }, \.activation)
        try wire.text(&value, 2, Self.systemdUnit) { if case .systemdUnit(let name) = $0 { name } else { nil } }
        try wire.message(&value, 3, { Self.command($0.arguments) }, \.line)
    }

    private var activation: BusActivation? {
        if case .dbus(let appID, let action) = self { BusActivation(appID: appID, action: action) } else { nil }
    }

    private var line: CommandLineBody? {
        if case .command(let arguments) = self { CommandLineBody(arguments: arguments) } else { nil }
    }
}

/// The payload of `WakeMethod.dbus`.
private struct BusActivation: WireRecord {
    var appID = ""
    var action = "transfers-finished"

    static var blank: Self { Self() }

    mutating func fields(_ wire: inout WireFields) throws(WireError) {
        try wire.text(&appID, 1)
        try wire.always(&action, 2)
    }
}

/// The payload of `WakeMethod.command`.
private struct CommandLineBody: WireRecord {
    var arguments: [String] = []

    static var blank: Self { Self() }

    mutating func fields(_ wire: inout WireFields) throws(WireError) {
        try wire.texts(&arguments, 1)
    }
}

extension WakeRegistration: WireRecord {
    package static var blank: Self { Self(.command([])) }

    package mutating func fields(_ wire: inout WireFields) throws(WireError) {
        try wire.required(&method, 1)
        try wire.always(&sessionSendsLaunchEvents, 2)
        try wire.always(&backoff.first, 3)
        try wire.always(&backoff.longest, 4)
    }
}

/// The payload of `SessionCommand.setWake`.
struct WakeRequestBody: WireRecord {
    var registration: WakeRegistration?

    static var blank: Self { Self() }

    mutating func fields(_ wire: inout WireFields) throws(WireError) {
        try wire.message(&registration, 1)
    }
}

extension WakeRecord: WireRecord {
    package static var blank: Self { Self() }

    package mutating func fields(_ wire: inout WireFields) throws(WireError) {
        try wire.count(&unanswered, 1)
        try wire.count(&total, 2)
        try wire.time(&lastWakeAt, 3)
        try wire.choice(&outcome, 4)
        try wire.text(&message, 5)
    }
}

extension WakeStatus: WireRecord {
    package static var blank: Self {
        var blank = Self()
        blank.hold = nil
        return blank
    }

    package mutating func fields(_ wire: inout WireFields) throws(WireError) {
        try wire.message(&registration, 1)
        try wire.message(&record, 2)
        try wire.integer(&pendingEvents, 3)
        try wire.flag(&isAttached, 4)
        try wire.time(&nextWakeAt, 5)
        try wire.choice(&hold, 6)
    }
}
