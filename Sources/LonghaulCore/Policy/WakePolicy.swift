/// Decides whether a session's app is launched now, later, or not at all.
package enum WakePolicy {
    /// The facts that the decision depends on.
    package struct Situation: Equatable, Sendable {
        package var registration: WakeRegistration?
        package var record: WakeRecord
        /// The time of the newest event that the app must be launched for; `nil` if there is none.
        package var occasion: WallTime?
        package var isAttached: Bool
        /// When the app was last attached, or could have been: it saw earlier events.
        package var leftAt: WallTime
        package var isWaking: Bool
        /// Whether the user opens the app.
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

    package static func decide(_ situation: Situation, now: WallTime) -> Verdict {
        guard let registration = situation.registration else { return .never(.notRegistered) }
        guard registration.sessionSendsLaunchEvents || situation.isAskedFor else { return .never(.launchEventsOff) }
        guard let occasion = situation.occasion else { return .never(.nothingToTell) }
        if situation.isAttached { return .never(.attached) }
        if situation.isWaking { return .never(.waking) }
        // Dates in the future were written before the clock was set back. An early launch is better than none.
        var date = min(occasion, now)
        // A user who clicks, or runs a task, wants the app now. If the app does not come up, the usual delays follow.
        if situation.isAskedFor, situation.record.lastWakeAt.map({ $0 < occasion }) ?? true { return .now }
        if let last = situation.record.lastWakeAt, last <= now {
            date = max(date, last + delay(unanswered: situation.record.unanswered, registration.backoff))
        }
        // A user who closes an app before it acknowledges its events does not want to see it again at once.
        if occasion <= situation.leftAt, situation.leftAt <= now {
            date = max(date, situation.leftAt + registration.backoff.first)
        }
        return date <= now ? .now : .at(date)
    }

    /// Returns the record after a launch at this time.
    package static func recordWake(
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

    /// Returns the record after the app acknowledged all events.
    package static func recordAcknowledgement(_ record: WakeRecord) -> WakeRecord {
        var record = record
        record.unanswered /= 2
        return record
    }

    /// Returns the minimum time between a launch and the next one.
    package static func delay(unanswered: Int, _ backoff: WakeBackoff) -> Duration {
        guard unanswered > 0 else { return .zero }
        let doublings = min(unanswered - 1, countLimit)
        let limit = backoff.longest.microseconds
        return Duration(microseconds: min(backoff.first.microseconds * (1 << Int64(doublings)), limit))
    }

    /// Returns the number of unanswered launches, reduced by one for each longest delay that has passed since another
    /// launch was allowed.
    private static func decayed(_ record: WakeRecord, _ backoff: WakeBackoff, at now: WallTime) -> Int {
        let longest = backoff.longest.microseconds
        guard let last = record.lastWakeAt, longest > 0 else { return record.unanswered }
        let quiet = (now - (last + delay(unanswered: record.unanswered, backoff))).microseconds
        return max(0, record.unanswered - Int(max(0, quiet) / longest))
    }

    /// More doublings change nothing.
    private static let countLimit = 24
}
