/// What becomes of a submission whose key a transfer of the session has already.
package enum KeyRule {
    package enum Verdict: Equatable, Sendable {
        /// The transfer that is there is the answer.
        case joins
        /// The transfer that is there starts again, and is the answer.
        case restarts
        /// The new transfer gets the key. The one that is there is cancelled or removed before, or stays as it is.
        case takes(after: ControlVerb?)
        /// Both have it.
        case shares
        case refuses(TransferFailure)
    }

    package static func judge(_ spec: TransferSpec, holder: TransferRecord) -> Verdict {
        switch spec.options.keyConflict {
        // It will be gone in a moment: who submits now wants a transfer that stays.
        case .keep where isAboutToGo(holder): .takes(after: nil)
        case .keep where startsAgain(holder, for: spec.options):
            canContinue(holder, for: spec) ? .restarts : .takes(after: .remove)
        case .keep: .joins
        case .replace where spec.options.predecessor == holder.id:
            .refuses(TransferFailure(.keyTaken, "A transfer cannot follow the one whose key it takes."))
        case .replace: .takes(after: holder.state.isEnded ? nil : .cancel)
        case .append: .shares
        }
    }

    /// Whether what cannot be accepted any more because of what it follows may be there since its first submission: then the transfer
    /// that has its key is the answer.
    package static func wasAccepted(_ options: TransferOptions, holder: TransferRecord) -> Bool {
        options.predecessor != nil && options.keyConflict == .keep && !isAboutToGo(holder)
    }

    /// Whether it is removed as soon as its leftovers are.
    private static func isAboutToGo(_ record: TransferRecord) -> Bool { record.facts.cleanup.contains(.record) }

    private static func startsAgain(_ holder: TransferRecord, for options: TransferOptions) -> Bool {
        switch holder.state {
        // A request that may have been done is repeated only by someone who knows.
        case .failed(let failure) where failure.code == .outcomeUnknown: false
        case .failed, .cancelled:
            options.restartsEndedBefore.map { holder.facts.endedAt ?? holder.facts.createdAt < $0 } ?? true
        case .waiting, .running, .awaitingResponse, .paused, .succeeded: false
        }
    }

    /// Whether the same transfer can start again. If not, a new one does what it was to do: its files are
    /// others by now, its staged body was deleted, it must wait for another transfer, or what it left is
    /// still being removed.
    private static func canContinue(_ holder: TransferRecord, for spec: TransferSpec) -> Bool {
        guard holder.facts.cleanup.isEmpty, spec.options.predecessor == nil else { return false }
        if holder.state == .cancelled, holder.spec.sources.contains(where: \.isStaged) { return false }
        // A new copy of the same bytes has another path.
        return holder.spec.sources.filter { !$0.isStaged } == spec.sources.filter { !$0.isStaged }
    }
}
