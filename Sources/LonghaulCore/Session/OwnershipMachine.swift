/// The owner of a session, and the loss of an app that owned it before.
package struct OwnershipMachine: Equatable, Sendable {
    /// The last process that opened the session. Until this process takes over, that is the previous owner.
    package private(set) var owner: SessionOwner?
    package private(set) var policy: OwnerLossPolicy
    /// The last loss that no app has acknowledged.
    package private(set) var loss: OwnerLossReport?

    /// Restores the state that earlier owners left in the store.
    package init(owner: SessionOwner? = nil, policy: OwnerLossPolicy = .resume, loss: OwnerLossReport? = nil) {
        self.owner = owner
        self.policy = policy
        self.loss = loss
    }

    /// Returns the reason and the policy if the previous owner was lost; otherwise `nil`.
    package func evaluateLoss(bootID: String) -> (reason: OwnerLossReason, policy: OwnerLossPolicy)? {
        OwnerLossRule.evaluate(owner, policy: policy, bootID: bootID)
    }

    /// Records that the previous owner released the session, as the store says.
    mutating func release(at now: WallTime) { owner?.endedAt = now }

    mutating func takeOver(as new: SessionOwner) -> [SessionEffect] {
        owner = new
        return [.write(.owner(new))]
    }

    mutating func recordLoss(_ report: OwnerLossReport) -> [SessionEffect] {
        loss = report
        return [.write(.ownerLoss(report))]
    }

    mutating func acknowledge() -> [SessionEffect] {
        guard loss != nil else { return [] }
        loss = nil
        return [.write(.ownerLoss(nil))]
    }

    mutating func set(_ policy: OwnerLossPolicy) -> [SessionEffect] {
        self.policy = policy
        return [.write(.ownerLossPolicy(policy))]
    }
}
