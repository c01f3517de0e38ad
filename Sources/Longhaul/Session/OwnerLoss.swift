/// What happened to the app that ran the session before.
extension TransferSession {
    /// That an app which ran this session was ended by force, and what was done about it: the last such loss that was not
    /// acknowledged. `nil` when there is none, which is always so for a session that only the service ran.
    ///
    /// Ask at launch. It does not matter who noticed: the service that adopted the session, or this opening.
    public func ownerLoss() async throws(TransferFailure) -> OwnerLossReport? {
        try await backend.info().ownerLoss
    }

    /// Says that the report of a loss was taken: it is not given again.
    public func acknowledgeOwnerLoss() async throws(TransferFailure) {
        try await backend.acknowledgeOwnerLoss()
    }
}

extension TransferSession {
    /// Costs a commit only when it changes something.
    func setOwnerLossPolicy(_ policy: OwnerLossPolicy) async throws(TransferFailure) {
        if try await backend.info().ownerLossPolicy != policy { try await backend.setOwnerLossPolicy(policy) }
    }
}
