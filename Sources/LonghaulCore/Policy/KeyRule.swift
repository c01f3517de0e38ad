/// What becomes of a submission whose key a transfer of the session has already.
package enum KeyRule {
    package enum Verdict: Equatable, Sendable {
        /// The transfer that is there is the answer.
        case joins
        /// The key is taken from it, which is cancelled before or goes on its way.
        case takes(cancels: Bool)
        /// Both have it.
        case shares
        case refuses(TransferFailure)
    }

    package static func judge(_ options: TransferOptions, holder: TransferRecord) -> Verdict {
        switch options.keyConflict {
        // It will be gone in a moment: who submits now wants a transfer that stays.
        case .keep: isAboutToGo(holder) ? .takes(cancels: false) : .joins
        case .replace where options.predecessor == holder.id:
            .refuses(TransferFailure(.keyTaken, "A transfer cannot follow the one whose key it takes."))
        case .replace: .takes(cancels: !holder.state.isEnded)
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
}
