/// Decides whether the previous owner of a session was lost, and what follows.
package enum OwnerLossRule {
    /// Returns `nil` if no loss occurred: there was no previous owner, it was the service, or it released the session.
    package static func evaluate(
        _ former: SessionOwner?, policy: OwnerLossPolicy, bootID: String
    ) -> (reason: OwnerLossReason, policy: OwnerLossPolicy)? {
        guard let former, former.kind == .app, former.endedAt == nil else { return nil }
        // If a boot ID is unknown, a loss must not count as a restart, because the app chose a policy for losses.
        let isSameBoot = former.bootID == bootID || former.bootID.isEmpty || bootID.isEmpty
        return isSameBoot ? (.unknown, policy) : (.systemRestarted, .resume)
    }
}

extension OwnerLossPolicy {
    /// The command for each transfer that has not ended; `nil` if interrupted transfers resume.
    package var verb: ControlVerb? {
        switch self {
        case .resume: nil
        case .pause: .pause
        case .cancel: .cancel
        }
    }
}
