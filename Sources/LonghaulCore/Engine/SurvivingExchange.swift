/// Names one exchange for ever, also to a process that did not begin it.
package struct ExchangeID: Hashable, Sendable, CustomStringConvertible {
    package var transfer: TransferID
    /// The attempt it belongs to. The exchanges of one attempt follow each other.
    package var attempt: Int

    package init(transfer: TransferID, attempt: Int) {
        self.transfer = transfer
        self.attempt = attempt
    }

    /// What a system that carries exchanges keeps with each. No path, URL or secret is in it.
    package var description: String { "longhaul 1 \(transfer) \(attempt)" }

    /// `nil` for a text that is none of ours.
    package init?(_ text: some StringProtocol) {
        let parts = text.split(separator: " ", omittingEmptySubsequences: false)
        guard parts.count == 4, parts[0] == "longhaul", parts[1] == "1", let id = TransferID(parts[2]),
            let attempt = Int(parts[3]), attempt >= 0
        else { return nil }
        self.init(transfer: id, attempt: attempt)
    }
}

/// An exchange of a process that is gone.
package struct SurvivingExchange: Equatable, Sendable {
    package enum Condition: Equatable, Sendable {
        /// It goes on, or has ended and nobody has heard how. Whether all of its body has left.
        case carried(isBodySent: Bool)
        /// It was begun and is nowhere to be found: nobody knows how far it came.
        case lost
    }

    package var id: ExchangeID
    package var condition: Condition
    /// The length of the request's body, if it is known.
    package var bodyLength: Int64?
    /// What a download asked for: `nil` for the whole file.
    package var resume: ResumePoint?
    /// Where a download's bytes go, if the engine knows.
    package var partialPath: String?
    /// Whether its end is known, and is a success.
    package var hasSucceeded: Bool
    /// As in `ExchangeProgress`, which nobody can ask for before it is adopted.
    package var stopLeavesDoubt = false

    package init(
        id: ExchangeID, condition: Condition, bodyLength: Int64? = nil, resume: ResumePoint? = nil,
        hasSucceeded: Bool = false
    ) {
        self.id = id
        self.condition = condition
        self.bodyLength = bodyLength
        self.resume = resume
        self.hasSucceeded = hasSucceeded
    }

    package var isLost: Bool { condition == .lost }
}

/// What an engine can do that another cannot.
package struct EngineTraits: Equatable, Sendable {
    /// Whether the last bytes of a body can be held back (`BodyPlan.holdsLastBytes`).
    package var holdsLastBytes: Bool
    /// Whether exchanges outlive the process that began them.
    package var outlivesProcess: Bool

    /// An engine that has the bytes in its own hands, and dies with its process.
    package static let ofProcess = EngineTraits(holdsLastBytes: true, outlivesProcess: false)

    package init(holdsLastBytes: Bool, outlivesProcess: Bool) {
        self.holdsLastBytes = holdsLastBytes
        self.outlivesProcess = outlivesProcess
    }
}
