/// What an app does with the transfers that it runs itself when it enters the background or ends: which of them it finishes,
/// and when it lets go of the session.
///
/// The session goes as a whole, since one lock guards it. So there are two answers: what becomes of each transfer, and
/// how long the app stays for those that are better ended here.
package enum HandoffPolicy {
    /// A running transfer as the policy sees it.
    package struct Candidate: Equatable, Sendable {
        package var id: TransferID
        package var state: TransferState
        package var bytesDone: Int64
        package var bytesTotal: Int64?
        /// Bytes a second; 0 when unknown.
        package var rate: Int64
        /// Whether another process can go on from the bytes that were moved.
        package var canResume: Bool
        /// Whether the request may be repeated once its body has left: by its method, or by an idempotency key.
        package var isRepeatable: Bool

        package init(
            id: TransferID, state: TransferState, bytesDone: Int64, bytesTotal: Int64?, rate: Int64, canResume: Bool,
            isRepeatable: Bool
        ) {
            self.id = id
            self.state = state
            self.bytesDone = bytesDone
            self.bytesTotal = bytesTotal
            self.rate = rate
            self.canResume = canResume
            self.isRepeatable = isRepeatable
        }
    }

    /// What becomes of one transfer.
    package enum Fate: Equatable, Sendable {
        /// Nothing is under way: it stays where it is in the queue, or has ended.
        case leave
        /// It ends here, by this date if its rate lasts.
        case finishHere(by: WallTime)
        /// Its body has left. It is never sent again from here: the answer is waited for until this date, then `then` happens.
        case awaitAnswer(until: WallTime, then: AnswerFate)
        /// The service goes on, and moves so many bytes a second time.
        case handOver(repeating: Int64)
        /// There is no service: it goes on when the app is opened again, and moves so many bytes a second time.
        case suspend(repeating: Int64)
    }

    /// What the next owner does about an answer that did not come in time.
    package enum AnswerFate: Equatable, Sendable {
        /// It asks the server how much arrived.
        case ask
        /// It repeats the request, which does no harm.
        case `repeat`
        /// It must not repeat it: the transfer ends with `outcomeUnknown`.
        case outcomeUnknown
    }

    /// When the app lets go of the session.
    package enum Departure: Equatable, Sendable {
        case now
        /// When what keeps it has ended, at this date at the latest.
        case stay(until: WallTime)
    }

    package struct Plan: Equatable, Sendable {
        package var fates: [TransferID: Fate]
        package var departure: Departure

        package init(fates: [TransferID: Fate], departure: Departure) {
            self.fates = fates
            self.departure = departure
        }
    }

    /// `grace` is the time that is left to the app; `hasService` says that a service will take the session.
    package static func plan(
        _ candidates: [Candidate], now: WallTime, grace: Duration, hasService: Bool
    ) -> Plan {
        var plan = Plan(fates: [:], departure: .now)
        var latest: WallTime?
        for candidate in candidates {
            let fate = fate(of: candidate, now: now, grace: grace, hasService: hasService)
            plan.fates[candidate.id] = fate
            let end = end(of: fate, candidate, now + grace)
            if let end { latest = max(latest ?? end, end) }
        }
        if let latest, latest > now { plan.departure = .stay(until: latest) }
        return plan
    }

    /// One transfer's fate.
    package static func fate(of candidate: Candidate, now: WallTime, grace: Duration, hasService: Bool) -> Fate {
        switch candidate.state {
        case .waiting, .paused, .succeeded, .failed, .cancelled:
            return .leave
        case .awaitingResponse:
            let then: AnswerFate = candidate.canResume ? .ask : candidate.isRepeatable ? .repeat : .outcomeUnknown
            return .awaitAnswer(until: now + max(grace, .zero), then: then)
        case .running(.verifying):
            // Every byte is here; what is left is done by this machine, and soon.
            if grace > .zero { return .finishHere(by: now + grace) }
        case .running(.preparing), .running(.sending), .running(.receiving):
            if let end = estimatedEnd(of: candidate, now: now), end <= now + grace { return .finishHere(by: end) }
        }
        let repeated = candidate.canResume ? 0 : candidate.bytesDone
        return hasService ? .handOver(repeating: repeated) : .suspend(repeating: repeated)
    }

    /// When a body will have been moved. A quarter is added: the rate may fall, and the answer comes after the body.
    private static func estimatedEnd(of candidate: Candidate, now: WallTime) -> WallTime? {
        guard candidate.state != .running(.preparing), candidate.rate > 0, let total = candidate.bytesTotal else {
            return nil
        }
        let seconds = Double(max(0, total - candidate.bytesDone)) * 1.25 / Double(candidate.rate)
        // Beyond any grace; a larger number would not fit.
        guard seconds < 1_000_000 else { return nil }
        return now + Duration(microseconds: Int64((seconds * 1_000_000).rounded(.up)))
    }

    /// Until when a transfer is worth staying for; `nil` when it is not.
    private static func end(of fate: Fate, _ candidate: Candidate, _ end: WallTime) -> WallTime? {
        switch fate {
        case .leave, .handOver: nil
        case .finishHere(let date): date
        case .awaitAnswer(let date, _): date
        // Without a service nothing moves when the app is gone, and what is won until then is kept.
        case .suspend: candidate.canResume ? end : nil
        }
    }
}
