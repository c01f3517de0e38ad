import LonghaulCore

extension NotificationSettings: Drawable {
    static func draw(_ chance: inout Chance) -> Self {
        var settings = NotificationSettings(
            appName: chance.text(), icon: chance.text(), desktopEntry: chance.text(),
            kinds: Set(chance.list { $0.choice() }))
        settings.grouping = chance.choice()
        settings.coverage = chance.choice()
        settings.showsWhileAppIsOpen = chance.flag()
        settings.opensApp = chance.flag()
        for kind in chance.list({ $0.choice() as NotificationKind }) {
            settings.wordings[kind] = NotificationWording(one: .draw(&chance), several: .draw(&chance))
        }
        for action in chance.list({ $0.choice() as NotificationAction }) { settings.labels[action] = chance.text() }
        return settings
    }
}

extension NotificationText {
    fileprivate static func draw(_ chance: inout Chance) -> Self {
        NotificationText(chance.text(), body: chance.text())
    }
}

extension PlainNotification: Drawable {
    static func draw(_ chance: inout Chance) -> Self {
        PlainNotification(
            chance.text(), title: chance.text(), body: chance.text(), deliverAt: chance.optional { $0.time() },
            transfer: chance.optional { .draw(&$0) })
    }
}

extension NotificationTap: Drawable {
    static func draw(_ chance: inout Chance) -> Self {
        NotificationTap(
            identifier: chance.text(), kind: chance.optional { $0.choice() },
            transfer: chance.optional { .draw(&$0) }, activationToken: chance.text())
    }
}

extension NotificationRequest: Drawable {
    static func draw(_ chance: inout Chance) -> Self {
        switch chance.below(4) {
        case 0: .status
        case 1: .set(chance.optional { .draw(&$0) })
        case 2: .post(.draw(&chance))
        default: .withdraw(chance.text())
        }
    }
}

extension NotificationStatus: Drawable {
    static func draw(_ chance: inout Chance) -> Self {
        var status = NotificationStatus()
        status.settings = chance.optional { .draw(&$0) }
        status.pending = chance.list { .draw(&$0) }
        status.shown = chance.integer()
        status.lacksServer = chance.flag()
        return status
    }
}

extension NotificationSubject {
    fileprivate static func draw(_ chance: inout Chance) -> Self {
        NotificationSubject(
            transfer: .draw(&chance), name: chance.text(), host: chance.text(), reason: chance.text(),
            direction: chance.optional { $0.choice() })
    }
}

extension NotificationSlot: Drawable {
    static func draw(_ chance: inout Chance) -> Self {
        var slot = NotificationSlot()
        slot.tally = .draw(&chance)
        slot.text = chance.optional { .draw(&$0) }
        slot.posted = chance.optional {
            NotificationHeadline(kind: $0.optional { $0.choice() }, count: $0.count())
        }
        slot.shown = chance.optional {
            ShownNotification(number: UInt32(truncatingIfNeeded: $0.number()), server: $0.text(), at: $0.time())
        }
        return slot
    }
}

extension NotificationTally {
    fileprivate static func draw(_ chance: inout Chance) -> Self {
        var tally = NotificationTally()
        let counts: [WritableKeyPath<Self, Int>] = [
            \.underWay, \.needing, \.paused, \.resting, \.finished, \.failed, \.interrupted, \.announced, \.hushedNeeds,
        ]
        for count in counts { tally[keyPath: count] = chance.count() }
        for flag in [\Self.departed, \.pausedHere, \.hushesProgress] { tally[keyPath: flag] = chance.flag() }
        for subject in [\Self.subjects.finished, \.subjects.failed, \.subjects.needing, \.subjects.moving] {
            tally[keyPath: subject] = chance.optional { .draw(&$0) }
        }
        return tally
    }
}
