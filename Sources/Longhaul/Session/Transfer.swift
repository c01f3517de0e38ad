/// One transfer of a session: a name with verbs. It holds no state, so any number of them may stand for the same transfer.
public struct Transfer: Sendable, Identifiable {
    /// Chosen by Longhaul, unique for ever. Store it, or use ``key``, to find the transfer after a relaunch.
    public let id: TransferID
    /// The app's own name for it.
    public let key: String?
    let backend: any SessionBackend

    init(id: TransferID, key: String?, backend: any SessionBackend) {
        self.id = id
        self.key = key
        self.backend = backend
    }

    /// How it is now. Fails with `unknownTransfer` when it was acknowledged.
    public func snapshot() async throws(TransferFailure) -> TransferSnapshot {
        try await backend.show(id).snapshot
    }

    /// How it is now and from now on, latest values only, until it has ended; the last value says how.
    ///
    /// Each loop over it observes for itself. A slow one misses steps in between and never the last one. It goes on when
    /// the service had to be started again, and ends without a last value when the transfer is forgotten.
    public var snapshots: TransferSnapshots { TransferSnapshots(id: id, backend: backend) }

    /// Everything about it: header fields, the kept response, the last failure also when it was got over.
    public func detail() async throws(TransferFailure) -> TransferDetail {
        try await backend.show(id)
    }

    /// What happened to it, oldest first.
    public func history() async throws(TransferFailure) -> [HistoryEntry] {
        try await backend.history(id)
    }

    /// Stops it at a safe byte until it is resumed. Fails with `invalidState` when it has ended, or when the answer to a
    /// request that must not be repeated is still to come.
    public func pause() async throws(TransferFailure) {
        try await control(.pause)
    }

    /// Lets it go on after a pause.
    public func resume() async throws(TransferFailure) {
        try await control(.resume)
    }

    /// Ends it for good and deletes its partial file. Fails with `invalidState` when it has ended another way.
    public func cancel() async throws(TransferFailure) {
        try await control(.cancel)
    }

    /// Starts it again after it failed, from its last safe byte, or after it was cancelled; if it waits, at once, also when
    /// its server asked to be left alone (`Retry-After`). Fails with `invalidState` when it runs or has succeeded.
    public func retry() async throws(TransferFailure) {
        try await control(.retry)
    }

    /// Waits until it has ended and says how. The result is kept until ``acknowledge()``. Fails with `unknownTransfer`
    /// when it is forgotten, and with `interrupted` when the task is cancelled or the session closed.
    public func result() async throws(TransferFailure) -> TransferResult {
        for try await snapshot in snapshots where snapshot.state.isEnded {
            return try await TransferResult(of: snapshot, backend: backend)
        }
        // The sequence ended early: the transfer is gone, and asking for it says so, or nobody waits any more.
        if !Task.isCancelled { _ = try await snapshot() }
        throw TransferFailure(.interrupted, "Waiting for the transfer was ended. The transfer itself was not.")
    }

    /// Says that the result was taken: the transfer is forgotten, with its history, and its key is free. Downloaded
    /// files stay. Fails with `invalidState` while it has not ended. Once forgotten, it may be acknowledged again.
    ///
    /// It leaves the list when what is left of it is tidied up: at once, unless it was cancelled a moment ago.
    public func acknowledge() async throws(TransferFailure) {
        do throws(TransferFailure) {
            try await control(.remove)
        } catch {
            guard error.code == .unknownTransfer else { throw error }
        }
    }

    private func control(_ verb: ControlVerb) async throws(TransferFailure) {
        let answer = try await backend.control(verb, .ids([id]))
        if let refusal = answer.refusals.first { throw refusal.failure }
    }
}
