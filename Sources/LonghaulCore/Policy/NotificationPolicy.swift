/// Decides what a notification says, and when it is shown, replaced or taken away.
package enum NotificationPolicy {
    /// How long a notification stays as it is before it may be replaced.
    package static let pace = Duration.seconds(1)

    /// Whether only a person can move a transfer that waits for this.
    package static func needsPerson(_ waiting: Waiting) -> Bool {
        switch waiting.reason {
        case .credentials: !waiting.isBeingAnswered
        case .metered, .roaming, .budget: true
        case .turn, .notBefore, .retry, .network, .diskSpace, .serverBusy, .constrained, .power, .battery, .hours,
            .sleep, .predecessor, .link, .idle, .clock, .mount:
            false
        }
    }

    /// Whether a transfer that waits for this counts as under way: soon and by itself it runs. What waits longer does not
    /// keep a person from being told that the others have finished.
    package static func isAboutToRun(_ waiting: Waiting) -> Bool {
        switch waiting.reason {
        case .credentials: waiting.isBeingAnswered
        case .turn, .retry, .serverBusy: true
        case .notBefore, .network, .diskSpace, .metered, .constrained, .roaming, .power, .battery, .hours,
            .budget, .sleep, .predecessor, .link, .idle, .clock, .mount:
            false
        }
    }

    /// What there is to say about transfers, the most pressing first; `nil` for nothing.
    package static func headline(
        _ tally: NotificationTally, _ kinds: Set<NotificationKind>
    ) -> NotificationHeadline? {
        if tally.needing > tally.hushedNeeds, kinds.contains(.needsYou) {
            return NotificationHeadline(kind: .needsYou, count: tally.needing)
        }
        if tally.failed > 0, kinds.contains(.failed) {
            return NotificationHeadline(kind: .failed, count: tally.failed)
        }
        let isDone = tally.underWay == 0 && tally.finished > 0 && kinds.contains(.finished)
        if tally.interrupted > 0, kinds.contains(.interrupted), !isDone {
            return NotificationHeadline(kind: .interrupted, count: tally.interrupted)
        }
        if tally.pausedHere, tally.paused > 0, tally.underWay == 0 {
            return NotificationHeadline(kind: .paused, count: tally.paused)
        }
        if tally.underWay > 0, kinds.contains(.progress), !tally.hushesProgress {
            return NotificationHeadline(kind: .progress, count: tally.underWay)
        }
        if isDone { return NotificationHeadline(kind: .finished, count: tally.finished) }
        // What was announced stays until it is seen, also when others have begun meanwhile.
        if tally.announced > 0, kinds.contains(.finished) {
            return NotificationHeadline(kind: .finished, count: tally.announced)
        }
        if tally.underWay > 0, tally.departed, kinds.contains(.handedOver) {
            return NotificationHeadline(kind: .handedOver, count: tally.underWay)
        }
        return nil
    }

    /// What to do with a slot.
    package enum Step: Equatable, Sendable {
        case nothing
        case post
        case close
        /// Look again then.
        case wait(WallTime)
    }

    /// What is in flight, and what else is known of a slot only while the process lives.
    package struct Flight: Equatable, Sendable {
        /// Whether an answer is awaited.
        package var isUnderWay = false
        /// What was handed over last, and when.
        package var headline: NotificationHeadline?
        package var content: NotificationContent?
        package var at: WallTime?
        /// Whether it waits for a server to show it.
        package var isHeld = false

        package init() {}
    }

    /// `content` is what `headline` looks like now.
    package static func step(
        _ slot: NotificationSlot, _ headline: NotificationHeadline?, _ content: NotificationContent?,
        _ flight: Flight, now: WallTime
    ) -> Step {
        if flight.isUnderWay { return .nothing }
        guard let headline, let content else { return slot.shown == nil && !flight.isHeld ? .nothing : .close }
        if flight.isHeld {
            return headline == flight.headline ? .nothing : .post
        }
        let isNew = slot.posted != headline
        // Progress is the only text that changes under the same headline.
        let hasMoved = headline.kind == .progress && slot.shown != nil && content != flight.content
        guard isNew || hasMoved else {
            return headline.kind == .progress && slot.shown != nil ? .wait(now + pace) : .nothing
        }
        // Dates that lie ahead were written before the clock was set back.
        if let last = flight.at, last <= now, now - last < pace { return .wait(last + pace) }
        return .post
    }
}
