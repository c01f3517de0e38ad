/// Events for the app. An event is written in the same transaction as the change that it reports, and kept until the
/// app acknowledges it.
///
/// The store contains and numbers the events. The machine decides which events are added and withdrawn; afterwards it
/// receives the state of the store (`update`).
package struct EventMachine: Equatable, Sendable {
    /// The state of the store after a write.
    package struct Facts: Equatable, Sendable {
        /// The highest event number.
        package var newest: Int64
        /// The newest event that the app must be launched for.
        package var occasion: EventRecord?
        /// Whether an event about the end of all transfers is unacknowledged.
        package var saysAllFinished: Bool

        package init(newest: Int64 = 0, occasion: EventRecord? = nil, saysAllFinished: Bool = false) {
            self.newest = newest
            self.occasion = occasion
            self.saysAllFinished = saysAllFinished
        }
    }

    /// Whether any app has subscribed to events. Until then none are kept.
    package private(set) var keepsEvents: Bool
    /// The highest number assigned so far.
    package private(set) var newest: Int64
    /// The newest event that the app must be launched for.
    package private(set) var occasion: EventRecord?
    private var saysAllFinished: Bool
    /// Whether this turn affects events, and whether a transfer ended.
    package private(set) var isTouched = false
    private var hasEnded = false
    /// Whether the app acknowledged events, or a transfer was removed.
    private var isTakenIn = false

    /// Restores the state that an earlier owner left in the store.
    package init(keepsEvents: Bool = false, _ facts: Facts = Facts()) {
        self.keepsEvents = keepsEvents
        newest = facts.newest
        occasion = facts.occasion
        saysAllFinished = facts.saysAllFinished
    }

    /// Keeps events from now on.
    package mutating func keep() -> [SessionEffect] {
        guard !keepsEvents else { return [] }
        keepsEvents = true
        return [.write(.keepEvents)]
    }

    /// Tracks a change of a transfer; `before` is `nil` for a new transfer, `after` for a removed one.
    package mutating func follow(_ before: TransferRecord?, _ after: TransferRecord?) -> [SessionEffect] {
        guard let after else { return forget(before) }
        guard let before else {
            // The event that all transfers have ended no longer holds.
            if saysAllFinished { isTouched = true }
            return []
        }
        guard keepsEvents, before.state != after.state else { return [] }
        var effects: [SessionEffect] = []
        if after.state.isEnded {
            hasEnded = true
            effects.append(
                .write(.addEvent(.transferFinished, after.id, wakes: after.spec.options.wakesAppWhenFinished)))
        } else if before.state.isEnded {
            effects.append(.write(.withdrawEvents(.transferFinished, of: after.id)))
        }
        switch (before.state.needsCredentials, after.state.needsCredentials) {
        case (false, true): effects.append(.write(.addEvent(.needsCredentials, after.id, wakes: true)))
        case (true, false): effects.append(.write(.withdrawEvents(.needsCredentials, of: after.id)))
        case (false, false), (true, true): break
        }
        if !effects.isEmpty { isTouched = true }
        return effects
    }

    private mutating func forget(_ before: TransferRecord?) -> [SessionEffect] {
        guard keepsEvents, let before else { return [] }
        isTouched = true
        isTakenIn = true
        return [.write(.withdrawAllEvents(of: before.id))]
    }

    /// Stores a click on a notification that opens the app.
    package mutating func recordTap(_ tap: NotificationTap) -> [SessionEffect] {
        guard keepsEvents else { return [] }
        isTouched = true
        return [.write(.addTap(tap))]
    }

    /// Acknowledges all events up to this number.
    package mutating func acknowledge(through number: Int64) -> [SessionEffect] {
        isTakenIn = true
        return [.write(.acknowledgeEvents(through: number))]
    }

    /// Adds or withdraws the event that all transfers have ended, once all changes of a turn are known.
    package mutating func endTurn(_ totals: SessionTotals) -> [SessionEffect] {
        let live = totals.waiting + totals.running + totals.paused
        let ended = totals.succeeded + totals.failed + totals.cancelled
        defer { (isTouched, hasEnded) = (false, false) }
        if live == 0, ended > 0 {
            guard hasEnded else { return [] }
            saysAllFinished = true
            return [.write(.addEvent(.allTransfersFinished, nil, wakes: true))]
        }
        guard saysAllFinished else { return [] }
        saysAllFinished = false
        return [.write(.withdrawEvents(.allTransfersFinished, of: nil))]
    }

    /// Updates the state of the store. Returns whether the app acknowledged every event it could be launched for.
    package mutating func update(_ facts: Facts) -> (isAnswered: Bool, effects: [SessionEffect]) {
        let isAnswered = isTakenIn && occasion != nil && facts.occasion == nil
        isTakenIn = false
        occasion = facts.occasion
        saysAllFinished = facts.saysAllFinished
        guard facts.newest > newest else { return (isAnswered, []) }
        newest = facts.newest
        return (isAnswered, [.reportNewestEvent(newest)])
    }
}

extension TransferState {
    fileprivate var needsCredentials: Bool {
        if case .waiting(let waiting) = self {
            waiting.reason == .credentials && !waiting.isBeingAnswered
        } else {
            false
        }
    }
}
