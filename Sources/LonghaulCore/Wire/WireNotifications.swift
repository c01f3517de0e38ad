extension NotificationSettings: WireMessage {
    package func encode(into writer: inout WireWriter) {
        writer.text(appName, at: 1)
        writer.text(icon, at: 2)
        writer.text(desktopEntry, at: 3)
        writer.unsigned(kinds.reduce(0) { $0 | 1 << UInt64($1.rawValue) }, at: 4)
        writer.choice(grouping, at: 5)
        writer.choice(coverage, at: 6)
        writer.flag(showsWhileAppIsHere, at: 7)
        let kinds = wordings.keys.sorted { $0.rawValue < $1.rawValue }
        writer.messages(kinds.map { NotificationWordingBody(kind: $0, wording: wording($0)) }, at: 8)
        let actions = labels.keys.sorted { $0.rawValue < $1.rawValue }
        writer.messages(actions.map { NotificationLabelBody(action: $0, label: label($0)) }, at: 9)
    }

    package init(from reader: inout WireReader) throws(WireError) {
        self.init(appName: "", kinds: [])
        while let field = try reader.nextField() {
            switch field {
            case 1: appName = try reader.text()
            case 2: icon = try reader.text()
            case 3: desktopEntry = try reader.text()
            case 4:
                let bits = try reader.unsigned()
                kinds = Set(NotificationKind.allCases.filter { bits >> UInt64($0.rawValue) & 1 == 1 })
            case 5: grouping = try reader.choice()
            case 6: coverage = try reader.choice()
            case 7: showsWhileAppIsHere = try reader.flag()
            case 8:
                let body: NotificationWordingBody = try reader.message()
                wordings[body.kind] = body.wording
            case 9:
                let body: NotificationLabelBody = try reader.message()
                labels[body.action] = body.label
            default: try reader.skip()
            }
        }
    }
}

/// One of `NotificationSettings.wordings`.
private struct NotificationWordingBody: WireMessage {
    var kind = NotificationKind.handedOver
    var wording = NotificationWording(one: NotificationText(""), several: NotificationText(""))

    init(kind: NotificationKind, wording: NotificationWording) {
        self.kind = kind
        self.wording = wording
    }

    func encode(into writer: inout WireWriter) {
        writer.choice(kind, at: 1)
        writer.text(wording.one.title, at: 2)
        writer.text(wording.one.body, at: 3)
        writer.text(wording.several.title, at: 4)
        writer.text(wording.several.body, at: 5)
    }

    init(from reader: inout WireReader) throws(WireError) {
        while let field = try reader.nextField() {
            switch field {
            case 1: kind = try reader.choice()
            case 2: wording.one.title = try reader.text()
            case 3: wording.one.body = try reader.text()
            case 4: wording.several.title = try reader.text()
            case 5: wording.several.body = try reader.text()
            default: try reader.skip()
            }
        }
    }
}

/// One of `NotificationSettings.labels`.
private struct NotificationLabelBody: WireMessage {
    var action = NotificationAction.open
    var label = ""

    init(action: NotificationAction, label: String) {
        self.action = action
        self.label = label
    }

    func encode(into writer: inout WireWriter) {
        writer.choice(action, at: 1)
        writer.text(label, at: 2)
    }

    init(from reader: inout WireReader) throws(WireError) {
        while let field = try reader.nextField() {
            switch field {
            case 1: action = try reader.choice()
            case 2: label = try reader.text()
            default: try reader.skip()
            }
        }
    }
}

extension PlainNotification: WireMessage {
    package func encode(into writer: inout WireWriter) {
        writer.text(identifier, at: 1)
        writer.text(title, at: 2)
        writer.text(body, at: 3)
        writer.time(deliverAt, at: 4)
        writer.message(transfer, at: 5)
    }

    package init(from reader: inout WireReader) throws(WireError) {
        self.init("", title: "")
        while let field = try reader.nextField() {
            switch field {
            case 1: identifier = try reader.text()
            case 2: title = try reader.text()
            case 3: body = try reader.text()
            case 4: deliverAt = try reader.time()
            case 5: transfer = try reader.message()
            default: try reader.skip()
            }
        }
    }
}

extension NotificationTap: WireMessage {
    package func encode(into writer: inout WireWriter) {
        writer.text(identifier, at: 1)
        writer.choice(kind, at: 2)
        writer.message(transfer, at: 3)
        writer.text(activationToken, at: 4)
    }

    package init(from reader: inout WireReader) throws(WireError) {
        self.init(identifier: "")
        while let field = try reader.nextField() {
            switch field {
            case 1: identifier = try reader.text()
            case 2: kind = try reader.choice()
            case 3: transfer = try reader.message()
            case 4: activationToken = try reader.text()
            default: try reader.skip()
            }
        }
    }
}

extension NotificationRequest: WireMessage {
    package func encode(into writer: inout WireWriter) {
        switch self {
        case .status: writer.empty(at: 1)
        case .set(let settings?): writer.message(settings, at: 2)
        case .set(nil): writer.empty(at: 3)
        case .post(let notification): writer.message(notification, at: 4)
        case .withdraw(let identifier): writer.text(Optional(identifier), at: 5)
        }
    }

    package init(from reader: inout WireReader) throws(WireError) {
        var request: NotificationRequest?
        while let field = try reader.nextField() {
            switch field {
            case 1: request = try reader.empty(as: .status)
            case 2: request = .set(try reader.message() as NotificationSettings)
            case 3: request = try reader.empty(as: .set(nil))
            case 4: request = .post(try reader.message())
            case 5: request = .withdraw(try reader.text())
            default: try reader.skip()
            }
        }
        guard let request else { throw .unknownValue }
        self = request
    }
}

extension NotificationStatus: WireMessage {
    package func encode(into writer: inout WireWriter) {
        writer.message(settings, at: 1)
        writer.messages(pending, at: 2)
        writer.integer(shown, at: 3)
        writer.flag(lacksServer, at: 4)
    }

    package init(from reader: inout WireReader) throws(WireError) {
        self.init()
        while let field = try reader.nextField() {
            switch field {
            case 1: settings = try reader.message()
            case 2: pending.append(try reader.message())
            case 3: shown = try reader.integer()
            case 4: lacksServer = try reader.flag()
            default: try reader.skip()
            }
        }
    }
}
