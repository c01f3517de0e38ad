/// What an app has to know: written in the same transaction as the change that it tells of, and kept until acknowledged.
///
/// The events themselves lie in the store, which numbers them. The machine says what is added and withdrawn, and is told
/// afterwards how the store stands (`note`).
package struct EventMachine: Equatable, Sendable {
    /// How the store stands after what was written.
    package struct Facts: Equatable, Sendable {
        /// The highest number of an event.
        package var newest: Int64
        /// The newest event that the app has to be started for.
        package var occasion: EventRecord?
        /// Whether the end of all transfers waits to be acknowledged.
        package var saysAllFinished: Bool

        package init(newest: Int64 = 0, occasion: EventRecord? = nil, saysAllFinished: Bool = false) {
            self.newest = newest
            self.occasion = occasion
            self.saysAllFinished = saysAllFinished
        }
    }

    /// Whether somebody wants to be told of events: until then none are kept.
    package private(set) var keepsEvents: Bool
    /// The highest number given so far.
    package private(set) var newest: Int64
    /// The newest event that the app has to be started for.
    package private(set) var occasion: EventRecord?
    private var saysAllFinished: Bool
    /// Whether something happened in this turn that events tell of, and whether a transfer ended.
    package private(set) var isTouched = false
    private var hasEnded = false
    /// Whether somebody took in what had happened: the app acknowledged it, or a transfer was forgotten.
    private var isTakenIn = false

    /// As an earlier owner left it in the store.
    package init(keepsEvents: Bool = false, _ facts: Facts = Facts()) {
        self.keepsEvents = keepsEvents
        newest = facts.newest
        occasion = facts.occasion
        saysAllFinished = facts.saysAllFinished
    }

    /// Somebody wants to be told of events from now on.
    package mutating func keep() -> [SessionEffect] {
        guard !keepsEvents else { return [] }
        keepsEvents = true
        return [.write(.keepEvents)]
    }

    /// Follows a transfer; `nil` for one that was not there, or is forgotten.
    package mutating func follow(_ before: TransferRecord?, _ after: TransferRecord?) -> [SessionEffect] {
        guard let after else { return forget(before) }
        guard let before else {
            // What was said about all of them is not true any more.
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

    /// A person asks for the app.
    package mutating func note(_ tap: NotificationTap) -> [SessionEffect] {
        guard keepsEvents else { return [] }
        isTouched = true
        return [.write(.addTap(tap))]
    }

    /// The app knows of all up to this number.
    package mutating func acknowledge(through number: Int64) -> [SessionEffect] {
        isTakenIn = true
        return [.write(.acknowledgeEvents(through: number))]
    }

    /// All changes of a turn are known: whether all transfers have ended.
    package mutating func settle(_ totals: SessionTotals) -> [SessionEffect] {
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

    /// What was written has come to this. Answers whether nothing is left to start the app for, because somebody took it in.
    package mutating func note(_ facts: Facts) -> (isAnswered: Bool, effects: [SessionEffect]) {
        let isAnswered = isTakenIn && occasion != nil && facts.occasion == nil
        isTakenIn = false
        occasion = facts.occasion
        saysAllFinished = facts.saysAllFinished
        guard facts.newest > newest else { return (isAnswered, []) }
        newest = facts.newest
        return (isAnswered, [.tellNewestEvent(newest)])
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
