extension WakeMethod: WireMessage {
    package func encode(into writer: inout WireWriter) {
        switch self {
        case .dbus(let appID, let action): writer.message(BusActivation(appID: appID, action: action), at: 1)
        case .systemdUnit(let name): writer.text(Optional(name), at: 2)
        case .command(let arguments): writer.message(CommandLineBody(arguments: arguments), at: 3)
        }
    }

    package init(from reader: inout WireReader) throws(WireError) {
        var method: WakeMethod?
        while let field = try reader.nextField() {
            switch field {
            case 1:
                let body: BusActivation = try reader.message()
                method = .dbus(appID: body.appID, action: body.action)
            case 2: method = .systemdUnit(try reader.text())
            case 3: method = .command((try reader.message() as CommandLineBody).arguments)
            default: try reader.skip()
            }
        }
        guard let method else { throw .unknownValue }
        self = method
    }
}

/// The payload of `WakeMethod.dbus`.
private struct BusActivation: WireMessage {
    var appID = ""
    var action = ""

    init(appID: String, action: String) {
        self.appID = appID
        self.action = action
    }

    func encode(into writer: inout WireWriter) {
        writer.text(appID, at: 1)
        writer.text(action, at: 2)
    }

    init(from reader: inout WireReader) throws(WireError) {
        while let field = try reader.nextField() {
            switch field {
            case 1: appID = try reader.text()
            case 2: action = try reader.text()
            default: try reader.skip()
            }
        }
    }
}

/// The payload of `WakeMethod.command`.
private struct CommandLineBody: WireMessage {
    var arguments: [String] = []

    init(arguments: [String]) {
        self.arguments = arguments
    }

    func encode(into writer: inout WireWriter) {
        writer.texts(arguments, at: 1)
    }

    init(from reader: inout WireReader) throws(WireError) {
        while let field = try reader.nextField() {
            switch field {
            case 1: arguments.append(try reader.text())
            default: try reader.skip()
            }
        }
    }
}

extension WakeRegistration: WireMessage {
    package func encode(into writer: inout WireWriter) {
        writer.message(method, at: 1)
        writer.flag(sessionSendsLaunchEvents, at: 2)
        writer.span(backoff.first, at: 3)
        writer.span(backoff.longest, at: 4)
    }

    package init(from reader: inout WireReader) throws(WireError) {
        var method: WakeMethod?
        var sends = false
        var backoff = WakeBackoff(first: .zero, longest: .zero)
        while let field = try reader.nextField() {
            switch field {
            case 1: method = try reader.message()
            case 2: sends = try reader.flag()
            case 3: backoff.first = try reader.span()
            case 4: backoff.longest = try reader.span()
            default: try reader.skip()
            }
        }
        guard let method else { throw .missingValue }
        self.init(method, sessionSendsLaunchEvents: sends, backoff: backoff)
    }
}

/// The payload of `SessionCommand.setWake`.
struct WakeRequestBody: WireMessage {
    var registration: WakeRegistration?

    init(registration: WakeRegistration?) {
        self.registration = registration
    }

    func encode(into writer: inout WireWriter) {
        writer.message(registration, at: 1)
    }

    init(from reader: inout WireReader) throws(WireError) {
        while let field = try reader.nextField() {
            switch field {
            case 1: registration = try reader.message()
            default: try reader.skip()
            }
        }
    }
}

extension WakeRecord: WireMessage {
    package func encode(into writer: inout WireWriter) {
        writer.integer(unanswered, at: 1)
        writer.integer(total, at: 2)
        writer.time(lastWakeAt, at: 3)
        writer.choice(outcome, at: 4)
        writer.text(message, at: 5)
    }

    package init(from reader: inout WireReader) throws(WireError) {
        self.init()
        while let field = try reader.nextField() {
            switch field {
            case 1: unanswered = try reader.count()
            case 2: total = try reader.count()
            case 3: lastWakeAt = try reader.time()
            case 4: outcome = try reader.choice()
            case 5: message = try reader.text()
            default: try reader.skip()
            }
        }
    }
}

extension WakeStatus: WireMessage {
    package func encode(into writer: inout WireWriter) {
        writer.message(registration, at: 1)
        writer.message(record, at: 2)
        writer.integer(pendingEvents, at: 3)
        writer.flag(isAttached, at: 4)
        writer.time(nextWakeAt, at: 5)
        writer.choice(hold, at: 6)
    }

    package init(from reader: inout WireReader) throws(WireError) {
        self.init()
        hold = nil
        while let field = try reader.nextField() {
            switch field {
            case 1: registration = try reader.message()
            case 2: record = try reader.message()
            case 3: pendingEvents = try reader.integer()
            case 4: isAttached = try reader.flag()
            case 5: nextWakeAt = try reader.time()
            case 6: hold = try reader.choice()
            default: try reader.skip()
            }
        }
    }
}
