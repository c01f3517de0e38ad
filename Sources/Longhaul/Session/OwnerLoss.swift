extension TransferSession {
    /// Returns the report on the last app that ran this session in its own process and was killed; `nil` if there is none, or if the
    /// app has acknowledged it. Call it at launch.
    public func ownerLoss() async throws(TransferFailure) -> OwnerLossReport? {
        try await backend.info().ownerLoss
    }

    /// Acknowledges the report of ``ownerLoss()``, which is `nil` from then on.
    public func acknowledgeOwnerLoss() async throws(TransferFailure) {
        try await backend.acknowledgeOwnerLoss()
    }
}

extension TransferSession {
    /// Costs a commit only if it changes something.
    func setOwnerLossPolicy(_ policy: OwnerLossPolicy) async throws(TransferFailure) {
        if try await backend.info().ownerLossPolicy != policy { try await backend.setOwnerLossPolicy(policy) }
    }
}
