/// Decides what an app does with the transfers that it runs when it enters the background or exits: which of them it
/// finishes, and when it releases the session.
///
/// One lock guards the whole session, so there are two decisions: an action for each transfer, and how long the app
/// keeps the session for the transfers that it should finish.
package enum HandoffPolicy {
    /// A running transfer as the policy sees it.
    package struct Candidate: Equatable, Sendable {
        package var id: TransferID
        package var state: TransferState
        package var bytesDone: Int64
        package var bytesTotal: Int64?
        /// Bytes per second; 0 if unknown.
        package var rate: Int64
        /// Whether another process can resume from the current progress.
        package var canResume: Bool
        /// Whether the request is safe to repeat once its body has been sent: by its method, or by an idempotency key.
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

    /// The action for one transfer.
    package enum Action: Equatable, Sendable {
        /// No attempt is in progress: the transfer keeps its position in the queue, or has ended.
        case keep
        /// The app finishes the transfer, by this date at its current rate.
        case finishHere(by: WallTime)
        /// The body has been sent, and the app never sends it again. It waits for the response until this date, and
        /// then `then` applies.
        case awaitAnswer(until: WallTime, then: AnswerAction)
        /// The service continues the transfer, and repeats this many bytes.
        case handOver(repeating: Int64)
        /// There is no service. The transfer continues when the app runs again, and repeats this many bytes.
        case suspend(repeating: Int64)
    }

    /// The next owner's action if the response did not arrive in time.
    package enum AnswerAction: Equatable, Sendable {
        /// It queries the server's offset.
        case query
        /// It repeats the request, which is safe.
        case `repeat`
        /// It must not repeat the request: the transfer fails with `outcomeUnknown`.
        case outcomeUnknown
    }

    /// When the app releases the session.
    package enum Departure: Equatable, Sendable {
        case now
        /// When the transfers that it finishes have ended, at this date at the latest.
        case stay(until: WallTime)
    }

    package struct Plan: Equatable, Sendable {
        package var actions: [TransferID: Action]
        package var departure: Departure

        package init(actions: [TransferID: Action], departure: Departure) {
            self.actions = actions
            self.departure = departure
        }
    }

    /// Returns the plan. `grace` is the time that the app has left; `hasService`: a service will take the session.
    package static func plan(
        _ candidates: [Candidate], now: WallTime, grace: Duration, hasService: Bool
    ) -> Plan {
        var plan = Plan(actions: [:], departure: .now)
        var latest: WallTime?
        for candidate in candidates {
            let action = action(of: candidate, now: now, grace: grace, hasService: hasService)
            plan.actions[candidate.id] = action
            let end = end(of: action, candidate, now + grace)
            if let end { latest = max(latest ?? end, end) }
        }
        if let latest, latest > now { plan.departure = .stay(until: latest) }
        return plan
    }

    /// Returns the action for one transfer.
    package static func action(of candidate: Candidate, now: WallTime, grace: Duration, hasService: Bool) -> Action {
        switch candidate.state {
        case .waiting, .paused, .succeeded, .failed, .cancelled:
            return .keep
        case .awaitingResponse:
            let then: AnswerAction = candidate.canResume ? .query : candidate.isRepeatable ? .repeat : .outcomeUnknown
            return .awaitAnswer(until: now + max(grace, .zero), then: then)
        case .running(.verifying):
            // All bytes have arrived, and this machine completes the rest soon.
            if grace > .zero { return .finishHere(by: now + grace) }
        case .running(.preparing), .running(.sending), .running(.receiving):
            if let end = estimatedEnd(of: candidate, now: now), end <= now + grace { return .finishHere(by: end) }
        }
        let repeated = candidate.canResume ? 0 : candidate.bytesDone
        return hasService ? .handOver(repeating: repeated) : .suspend(repeating: repeated)
    }

    /// Estimates when the body will be complete. A quarter is added, because the rate may fall, and the response
    /// follows the body.
    private static func estimatedEnd(of candidate: Candidate, now: WallTime) -> WallTime? {
        guard candidate.state != .running(.preparing), candidate.rate > 0, let total = candidate.bytesTotal else {
            return nil
        }
        let seconds = Double(max(0, total - candidate.bytesDone)) * 1.25 / Double(candidate.rate)
        // Beyond any grace; a larger number would overflow.
        guard seconds < 1_000_000 else { return nil }
        return now + Duration(microseconds: Int64((seconds * 1_000_000).rounded(.up)))
    }

    /// Returns how long the app should keep the session for a transfer; `nil` if it should not.
    private static func end(of action: Action, _ candidate: Candidate, _ end: WallTime) -> WallTime? {
        switch action {
        case .keep, .handOver: nil
        case .finishHere(let date): date
        case .awaitAnswer(let date, _): date
        // Without a service, no process continues the transfer after the app exits, and progress until then is kept.
        case .suspend: candidate.canResume ? end : nil
        }
    }
}
