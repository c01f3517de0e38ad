/// Identifies one exchange permanently, across processes.
package struct ExchangeID: Hashable, Sendable, CustomStringConvertible {
    package var transfer: TransferID
    /// The attempt that it belongs to. The exchanges of one attempt run one after the other.
    package var attempt: Int

    package init(transfer: TransferID, attempt: Int) {
        self.transfer = transfer
        self.attempt = attempt
    }

    /// The text that the system stores with each exchange. It contains no path, URL, or secret.
    package var description: String { "longhaul 1 \(transfer) \(attempt)" }

    /// Returns `nil` for any other text.
    package init?(_ text: some StringProtocol) {
        let parts = text.split(separator: " ", omittingEmptySubsequences: false)
        guard parts.count == 4, parts[0] == "longhaul", parts[1] == "1", let id = TransferID(parts[2]),
            let attempt = Int(parts[3]), attempt >= 0
        else { return nil }
        self.init(transfer: id, attempt: attempt)
    }
}

/// An exchange of a process that has ended.
package struct SurvivingExchange: Equatable, Sendable {
    package enum Condition: Equatable, Sendable {
        /// It is active, or has ended with an unknown outcome. The value is whether its whole body has been sent.
        case carried(isBodySent: Bool)
        /// It was begun and is missing: its progress is unknown.
        case lost
    }

    package var id: ExchangeID
    package var condition: Condition
    /// The length of the request's body, if it is known.
    package var bodyLength: Int64?
    /// The range that a download requested; `nil` for the whole file.
    package var resume: ResumePoint?
    /// The file for a download's bytes, if the engine knows it.
    package var partialPath: String?
    /// Whether its end is known, and is a success.
    package var hasSucceeded: Bool
    /// As in `ExchangeProgress`, which is available only after the adoption.
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

/// The capabilities in which engines differ.
package struct EngineTraits: Equatable, Sendable {
    /// Whether the last bytes of a body can be held back (`BodyPlan.holdsLastBytes`).
    package var holdsLastBytes: Bool
    /// Whether exchanges outlive the process that began them.
    package var outlivesProcess: Bool

    /// An engine that transfers the bytes itself, and ends with its process.
    package static let ofProcess = EngineTraits(holdsLastBytes: true, outlivesProcess: false)

    package init(holdsLastBytes: Bool, outlivesProcess: Bool) {
        self.holdsLastBytes = holdsLastBytes
        self.outlivesProcess = outlivesProcess
    }
}
