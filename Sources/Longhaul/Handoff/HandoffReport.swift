/// What became of a session when its app left or came back.
public struct HandoffReport: Equatable, Sendable {
    /// Who moves the bytes from here on.
    public enum Outcome: Equatable, Sendable {
        /// Nothing changed hands: the app came back in time, was gone before, or the service moves the bytes anyway.
        case unchanged
        /// The service goes on from the last safe byte, and this process watches. On systems that carry transfers themselves, it is the
        /// system that goes on.
        case handedOver
        /// There is no service, for this reason. Every transfer stands at its last safe byte, and goes on when the app is in
        /// front again, asks the session something, or is opened anew.
        case suspended(TransferFailure)
        /// This process moves the bytes again.
        case takenOver
        /// The service keeps the session, because taking a transfer away from it would cost bytes or an answer.
        case watching(TransferFailure)
    }

    /// What was decided about one transfer that was under way.
    public enum Fate: Equatable, Sendable {
        /// It could end in the time that was left, and was waited for.
        case finishHere
        /// Its body was sent, so it was not sent again from here; the answer was waited for as long as there was time.
        case awaitAnswer
        /// The service goes on with it, and moves so many bytes a second time.
        case handOver(repeating: Int64)
        /// It stands still, and moves so many bytes a second time when it goes on.
        case suspend(repeating: Int64)
    }

    /// Who has the session.
    public var outcome: Outcome
    /// Each transfer that was under way when the app began to leave, or while it stayed for others.
    public var fates: [TransferID: Fate]

    /// Takes every value.
    package init(_ outcome: Outcome, fates: [TransferID: Fate] = [:]) {
        self.outcome = outcome
        self.fates = fates
    }

    /// What was moved in vain is known now, and was guessed before.
    mutating func noteMoves(_ bytes: [TransferID: Int64]) {
        for case (let id, .handOver) in fates { fates[id] = .handOver(repeating: bytes[id] ?? 0) }
    }

    mutating func note(_ plan: HandoffPolicy.Plan) {
        for (id, fate) in plan.fates {
            switch fate {
            // It came to rest meanwhile; what was decided before is what happened.
            case .leave: break
            case .finishHere: fates[id] = .finishHere
            case .awaitAnswer: fates[id] = .awaitAnswer
            case .handOver(let bytes): fates[id] = .handOver(repeating: bytes)
            case .suspend(let bytes): fates[id] = .suspend(repeating: bytes)
            }
        }
    }
}
