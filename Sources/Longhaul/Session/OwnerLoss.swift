/// What happened to the app that ran the session before.
extension TransferSession {
    /// The report on the last app that ran this session and was ended by force. `nil` when there is no such report, or it was
    /// acknowledged; always `nil` for a session that only the service ran.
    ///
    /// Ask at launch. It does not matter whether the service or this opening noticed the loss.
    public func ownerLoss() async throws(TransferFailure) -> OwnerLossReport? {
        try await backend.info().ownerLoss
    }

    /// Acknowledges the report on a loss, so that it is not given again.
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
