/// The result of a handoff: which process transfers the bytes from now on.
@nonexhaustive public enum HandoffOutcome: Equatable, Sendable {
    /// Nothing changed: the app returned in time, or the service runs the session anyway.
    case unchanged
    /// The service continues from the last synced offset, and this process watches. On Apple systems, the system continues.
    case handedOver
    /// There is no service, for this reason. The transfers stopped at their last synced offset. They resume when the app is in the
    /// foreground again, calls the session, or opens it.
    case suspended(TransferFailure)
    /// This process transfers the bytes again.
    case takenOver
    /// The service keeps the session for this reason, for example because a handoff would lose bytes or a response.
    case watching(TransferFailure)
}

/// The outcome of a handoff and what it meant for each transfer.
package struct HandoffReport: Equatable, Sendable {
    /// The decision about one active transfer.
    package enum Action: Equatable, Sendable {
        /// The transfer could finish in the remaining time.
        case finishHere
        /// The body had been sent, and this process waited for the response.
        case awaitAnswer
        /// The service continues the transfer, and transfers this many bytes again.
        case handOver(repeating: Int64)
        /// The transfer stopped, and will transfer this many bytes again.
        case suspend(repeating: Int64)
    }

    package var outcome: HandoffOutcome
    /// The transfers that were active when the app started to leave or while it waited for others.
    package var actions: [TransferID: Action]

    package init(_ outcome: HandoffOutcome, actions: [TransferID: Action] = [:]) {
        self.outcome = outcome
        self.actions = actions
    }

    /// Replaces the estimates of repeated bytes with the measured values.
    mutating func recordMoves(_ bytes: [TransferID: Int64]) {
        for case (let id, .handOver) in actions { actions[id] = .handOver(repeating: bytes[id] ?? 0) }
    }

    mutating func add(_ plan: HandoffPolicy.Plan) {
        for (id, action) in plan.actions {
            switch action {
            // The transfer stopped meanwhile; the earlier decision holds.
            case .keep: break
            case .finishHere: actions[id] = .finishHere
            case .awaitAnswer: actions[id] = .awaitAnswer
            case .handOver(let bytes): actions[id] = .handOver(repeating: bytes)
            case .suspend(let bytes): actions[id] = .suspend(repeating: bytes)
            }
        }
    }
}
