extension NotificationSettings: WireRecord {
    package static var blank: Self { Self(appName: "") }

    package mutating func fields(_ wire: inout WireFields) throws(WireError) {
        try wire.text(&appName, 1)
        try wire.text(&icon, 2)
        try wire.text(&desktopEntry, 3)
        try wire.bits(&kinds, 4, isAlwaysWritten: true)
        try wire.choice(&grouping, 5)
        try wire.choice(&coverage, 6)
        try wire.flag(&showsWhileAppIsOpen, 7)
        var words = wordings.keys.sorted { $0.wireNumber < $1.wireNumber }.map {
            NotificationWordingBody(kind: $0, wording: wording($0))
        }
        try wire.messages(&words, 8)
        for body in words { wordings[body.kind] = body.wording }
        var buttons = labels.keys.sorted { $0.wireNumber < $1.wireNumber }.map {
            NotificationLabelBody(action: $0, label: label($0))
        }
        try wire.messages(&buttons, 9)
        for body in buttons { labels[body.action] = body.label }
        try wire.flag(inverted: &opensApp, 10)
    }
}

/// One of `NotificationSettings.wordings`.
private struct NotificationWordingBody: WireRecord {
    var kind = NotificationKind.handedOver
    var wording = NotificationWording(one: NotificationText(""), several: NotificationText(""))

    static var blank: Self { Self() }

    mutating func fields(_ wire: inout WireFields) throws(WireError) {
        try wire.choice(&kind, 1)
        try wire.text(&wording.one.title, 2)
        try wire.text(&wording.one.body, 3)
        try wire.text(&wording.several.title, 4)
        try wire.text(&wording.several.body, 5)
    }
}

/// One of `NotificationSettings.labels`.
private struct NotificationLabelBody: WireRecord {
    var action = NotificationAction.open
    var label = ""

    static var blank: Self { Self() }

    mutating func fields(_ wire: inout WireFields) throws(WireError) {
        try wire.choice(&action, 1)
        try wire.text(&label, 2)
    }
}

extension PlainNotification: WireRecord {
    package static var blank: Self { Self("", title: "") }

    package mutating func fields(_ wire: inout WireFields) throws(WireError) {
        try wire.text(&identifier, 1)
        try wire.text(&title, 2)
        try wire.text(&body, 3)
        try wire.time(&deliverAt, 4)
        try wire.message(&transfer, 5)
    }
}

extension NotificationTap: WireRecord {
    package static var blank: Self { Self(identifier: "") }

    package mutating func fields(_ wire: inout WireFields) throws(WireError) {
        try wire.text(&identifier, 1)
        try wire.choice(&kind, 2)
        try wire.message(&transfer, 3)
        try wire.text(&activationToken, 4)
    }
}

extension NotificationRequest: WireChoice {
    package static func cases(_ value: inout Self?, _ wire: inout WireFields) throws(WireError) {
        try wire.empty(&value, 1, .status)
        try wire.message(&value, 2, Self.set) { if case .set(let settings?) = $0 { settings } else { nil } }
        try wire.empty(&value, 3, .set(nil))
        try wire.message(&value, 4, Self.post) { if case .post(let notification) = $0 { notification } else { nil } }
        try wire.text(&value, 5, Self.withdraw) { if case .withdraw(let name) = $0 { name } else { nil } }
    }
}

extension NotificationStatus: WireRecord {
    package static var blank: Self { Self() }

    package mutating func fields(_ wire: inout WireFields) throws(WireError) {
        try wire.message(&settings, 1)
        try wire.messages(&pending, 2)
        try wire.integer(&shown, 3)
        try wire.flag(&lacksServer, 4)
    }
}
