/// Transfers of a session, and operations on several of them.
extension TransferSession {
    /// Returns the transfers that match a query, in order of submission.
    public func snapshots(matching query: TransferQuery = .all) async throws(TransferFailure) -> [TransferSnapshot] {
        try await backend.snapshots(matching: query)
    }

    /// Returns a handle for a transfer, without a lookup. Calls of the handle fail with `unknownTransfer` if the session has
    /// no such transfer. To find out whether the session has it, call ``transfer(id:)``.
    public func transfer(_ id: TransferID) -> Transfer {
        Transfer(id: id, backend: backend)
    }

    /// Looks up a transfer by its identifier. Returns `nil` if the session has no such transfer.
    public func transfer(id: TransferID) async throws(TransferFailure) -> Transfer? {
        try await find(ListQuery(selection: .ids([id]), limit: 1))
    }

    /// Looks up a transfer by its key. Returns `nil` if the session has no such transfer.
    public func transfer(key: String) async throws(TransferFailure) -> Transfer? {
        try await find(ListQuery(key: key, limit: 1))
    }

    private func find(_ query: ListQuery) async throws(TransferFailure) -> Transfer? {
        try await backend.list(query).transfers.first.map { transfer($0.id) }
    }

    /// Pauses transfers that have not ended. Returns how many changed.
    @discardableResult
    public func pauseAll(matching query: TransferQuery = .all) async throws(TransferFailure) -> Int {
        try await control(.pause, query)
    }

    /// Resumes paused transfers. Returns how many changed.
    @discardableResult
    public func resumeAll(matching query: TransferQuery = .all) async throws(TransferFailure) -> Int {
        try await control(.resume, query)
    }

    /// Cancels transfers that have not ended. Returns how many changed.
    @discardableResult
    public func cancelAll(matching query: TransferQuery = .all) async throws(TransferFailure) -> Int {
        try await control(.cancel, query)
    }

    /// Resumes failed transfers, restarts cancelled ones, and starts waiting ones now. Returns how many changed.
    @discardableResult
    public func retryAll(matching query: TransferQuery = .all) async throws(TransferFailure) -> Int {
        try await control(.retry, query)
    }

    /// Removes ended transfers and their results. Returns how many were removed.
    @discardableResult
    public func removeAll(matching query: TransferQuery = .all) async throws(TransferFailure) -> Int {
        try await control(.remove, query)
    }

    /// Returns the combined progress of transfers now. To follow that of a group, call ``progress(ofGroup:)``.
    public func progress(matching query: TransferQuery = .all) async throws(TransferFailure) -> GroupProgress {
        GroupProgress(of: try await snapshots(matching: query))
    }

    private func control(_ verb: ControlVerb, _ query: TransferQuery) async throws(TransferFailure) -> Int {
        if query.isSelection { return try await backend.control(verb, query.selection).changed }
        let ids = try await snapshots(matching: query).map(\.id)
        return ids.isEmpty ? 0 : try await backend.control(verb, .ids(ids)).changed
    }
}
