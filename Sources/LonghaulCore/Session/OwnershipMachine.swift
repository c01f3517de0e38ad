/// Who has the session, and what became of the app that had it before.
package struct OwnershipMachine: Equatable, Sendable {
    /// The last one who opened the session: before it is taken over, the one before.
    package private(set) var owner: SessionOwner?
    package private(set) var policy: OwnerLossPolicy
    /// The last loss that nobody has acknowledged.
    package private(set) var loss: OwnerLossReport?

    /// As earlier owners left it in the store.
    package init(owner: SessionOwner? = nil, policy: OwnerLossPolicy = .resume, loss: OwnerLossReport? = nil) {
        self.owner = owner
        self.policy = policy
        self.loss = loss
    }

    /// Whether the owner before was lost, and what follows; `nil` when nothing was.
    package func judge(bootID: String) -> (reason: OwnerLossReason, policy: OwnerLossPolicy)? {
        OwnerLossRule.judge(owner, policy: policy, bootID: bootID)
    }

    /// The owner before let go by itself, in the store.
    mutating func letGo(at now: WallTime) { owner?.endedAt = now }

    mutating func takeOver(as new: SessionOwner) -> [SessionEffect] {
        owner = new
        return [.write(.owner(new))]
    }

    mutating func note(_ report: OwnerLossReport) -> [SessionEffect] {
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
