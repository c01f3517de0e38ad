import LonghaulCore

extension WakeMethod: Drawable {
    static func draw(_ chance: inout Chance) -> Self {
        switch chance.below(3) {
        case 0: .dbus(appID: chance.text(), action: chance.text())
        case 1: .systemdUnit(chance.text())
        default: .command(chance.list { $0.text() })
        }
    }
}

extension WakeRegistration: Drawable {
    static func draw(_ chance: inout Chance) -> Self {
        WakeRegistration(
            .draw(&chance), sessionSendsLaunchEvents: chance.flag(),
            backoff: WakeBackoff(first: chance.span(), longest: chance.span()))
    }
}

extension WakeRecord: Drawable {
    static func draw(_ chance: inout Chance) -> Self {
        var record = WakeRecord()
        record.unanswered = chance.count()
        record.total = chance.count()
        record.lastWakeAt = chance.optional { $0.time() }
        record.outcome = chance.optional { $0.choice() }
        record.message = chance.text()
        return record
    }
}

extension WakeStatus: Drawable {
    static func draw(_ chance: inout Chance) -> Self {
        var status = WakeStatus()
        status.registration = chance.optional { .draw(&$0) }
        status.record = .draw(&chance)
        status.pendingEvents = chance.integer()
        status.isAttached = chance.flag()
        status.nextWakeAt = chance.optional { $0.time() }
        status.hold = chance.optional { $0.choice() }
        return status
    }
}

extension SessionEvent: Drawable {
    static func draw(_ chance: inout Chance) -> Self {
        let kind: Kind =
            switch chance.below(4) {
            case 2: .notificationTapped(.draw(&chance))
            case 0: .transferFinished(.draw(&chance))
            case 1: .allTransfersFinished
            default: .needsCredentials(.draw(&chance))
            }
        return SessionEvent(number: chance.number(), at: chance.time(), kind: kind)
    }
}

extension EventPage: Drawable {
    static func draw(_ chance: inout Chance) -> Self {
        EventPage(events: chance.list { .draw(&$0) }, hasMore: chance.flag())
    }
}
