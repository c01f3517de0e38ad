/// Decides whether a session's app is started now, at a date, or not at all.
package enum WakePolicy {
    /// All that the decision depends on.
    package struct Situation: Equatable, Sendable {
        package var registration: WakeRegistration?
        package var record: WakeRecord
        /// When the newest event arose that the app has to be started for; `nil` when there is none.
        package var occasion: WallTime?
        package var isAttached: Bool
        /// When the app was last here, or could have been: it saw what arose before.
        package var leftAt: WallTime
        package var isWaking: Bool
        /// Whether a person asks for the app with it.
        package var isAskedFor: Bool

        package init(
            registration: WakeRegistration?, record: WakeRecord, occasion: WallTime?, isAttached: Bool,
            leftAt: WallTime, isWaking: Bool, isAskedFor: Bool = false
        ) {
            self.registration = registration
            self.record = record
            self.occasion = occasion
            self.isAttached = isAttached
            self.leftAt = leftAt
            self.isWaking = isWaking
            self.isAskedFor = isAskedFor
        }
    }

    package enum Verdict: Equatable, Sendable {
        case now
        case at(WallTime)
        case never(WakeHold)
    }

    package static func judge(_ situation: Situation, now: WallTime) -> Verdict {
        guard let registration = situation.registration else { return .never(.notRegistered) }
        guard registration.sessionSendsLaunchEvents || situation.isAskedFor else { return .never(.launchEventsOff) }
        guard let occasion = situation.occasion else { return .never(.nothingToTell) }
        if situation.isAttached { return .never(.attached) }
        if situation.isWaking { return .never(.waking) }
        // Dates that lie ahead were written before the clock was set back: one start too early is better than none.
        var date = min(occasion, now)
        // A person who clicks, or has a task run, wants the app now; when it does not come up, the usual times follow.
        if situation.isAskedFor, situation.record.lastWakeAt.map({ $0 < occasion }) ?? true { return .now }
        if let last = situation.record.lastWakeAt, last <= now {
            date = max(date, last + delay(unanswered: situation.record.unanswered, registration.backoff))
        }
        // Whoever closes an app that has not acknowledged does not want to see it again at once.
        if occasion <= situation.leftAt, situation.leftAt <= now {
            date = max(date, situation.leftAt + registration.backoff.first)
        }
        return date <= now ? .now : .at(date)
    }

    /// The record of a start that is made now.
    package static func noteWake(
        _ record: WakeRecord, _ backoff: WakeBackoff, at now: WallTime
    ) -> WakeRecord {
        var record = record
        record.unanswered = min(decayed(record, backoff, at: now) + 1, countLimit)
        record.total += 1
        record.lastWakeAt = now
        record.outcome = nil
        record.message = ""
        return record
    }

    /// The record after everything was acknowledged.
    package static func noteAcknowledgement(_ record: WakeRecord) -> WakeRecord {
        var record = record
        record.unanswered /= 2
        return record
    }

    /// How long after a start the next one may be.
    package static func delay(unanswered: Int, _ backoff: WakeBackoff) -> Duration {
        guard unanswered > 0 else { return .zero }
        let doublings = min(unanswered - 1, countLimit)
        let limit = backoff.longest.microseconds
        return Duration(microseconds: min(backoff.first.microseconds * (1 << Int64(doublings)), limit))
    }

    /// Each of the longest times that passed since another start was allowed takes one off.
    private static func decayed(_ record: WakeRecord, _ backoff: WakeBackoff, at now: WallTime) -> Int {
        let longest = backoff.longest.microseconds
        guard let last = record.lastWakeAt, longest > 0 else { return record.unanswered }
        let quiet = (now - (last + delay(unanswered: record.unanswered, backoff))).microseconds
        return max(0, record.unanswered - Int(max(0, quiet) / longest))
    }

    /// More doublings change nothing.
    private static let countLimit = 24
}
