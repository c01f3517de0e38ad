/// Whether the former owner of a session was lost, and what follows.
package enum OwnerLossRule {
    /// `nil` when nothing was lost: there was no owner before, it was the service, or it let go by itself.
    package static func judge(
        _ former: SessionOwner?, policy: OwnerLossPolicy, bootID: String
    ) -> (reason: OwnerLossReason, policy: OwnerLossPolicy)? {
        guard let former, former.kind == .app, former.endedAt == nil else { return nil }
        // Where the boot is not known, a loss must not be taken for a restart: the policy is what the app asked for.
        let isSameBoot = former.bootID == bootID || former.bootID.isEmpty || bootID.isEmpty
        return isSameBoot ? (.unknown, policy) : (.systemRestarted, .resume)
    }
}

extension OwnerLossPolicy {
    /// What each transfer that has not ended is told; `nil` when those that were interrupted go on.
    package var verb: ControlVerb? {
        switch self {
        case .resume: nil
        case .pause: .pause
        case .cancel: .cancel
        }
    }
}
