/// Decides the content of a notification, and when it is shown, replaced, or closed.
package enum NotificationPolicy {
    /// The minimum time before a notification is replaced.
    package static let pace = Duration.seconds(1)

    /// Returns whether only the user can end this wait.
    package static func needsPerson(_ waiting: Waiting) -> Bool {
        switch waiting.reason {
        case .credentials: !waiting.isBeingAnswered
        case .metered, .roaming, .budget: true
        case .turn, .notBefore, .retry, .network, .diskSpace, .serverBusy, .constrained, .power, .battery, .hours,
            .sleep, .predecessor, .link, .idle, .clock, .mount, .unlock:
            false
        }
    }

    /// Returns whether a waiting transfer counts as active, because it continues soon without the user. A longer wait
    /// does not delay the notification that the others have finished.
    package static func isAboutToRun(_ waiting: Waiting) -> Bool {
        switch waiting.reason {
        case .credentials: waiting.isBeingAnswered
        case .turn, .retry, .serverBusy: true
        case .notBefore, .network, .diskSpace, .metered, .constrained, .roaming, .power, .battery, .hours,
            .budget, .sleep, .predecessor, .link, .idle, .clock, .mount, .unlock:
            false
        }
    }

    /// Returns the most urgent headline about transfers; `nil` if there is none.
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
        // An announcement stays until it is seen, even if other transfers have started meanwhile.
        if tally.announced > 0, kinds.contains(.finished) {
            return NotificationHeadline(kind: .finished, count: tally.announced)
        }
        if tally.underWay > 0, tally.departed, kinds.contains(.handedOver) {
            return NotificationHeadline(kind: .handedOver, count: tally.underWay)
        }
        return nil
    }

    /// The next action for a slot.
    package enum Step: Equatable, Sendable {
        case nothing
        case post
        case close
        /// Decide again at this time.
        case wait(WallTime)
    }

    /// An order in flight, and the slot's in-memory state.
    package struct Flight: Equatable, Sendable {
        /// Whether an answer of the server is pending.
        package var isUnderWay = false
        /// The last order and its time.
        package var headline: NotificationHeadline?
        package var content: NotificationContent?
        package var at: WallTime?
        /// Whether the order waits for a server that can show it.
        package var isHeld = false

        package init() {}
    }

    /// Returns the next action. `content` is the current content for `headline`.
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
        // Dates in the future were written before the clock was set back.
        if let last = flight.at, last <= now, now - last < pace { return .wait(last + pace) }
        return .post
    }
}
