/// A handle for one transfer of a session. It holds no state, so any number of handles may stand for the same transfer.
public struct Transfer: Sendable, Identifiable {
    /// Chosen by Longhaul, unique for ever. Store it, or use ``key``, to find the transfer after a relaunch.
    public let id: TransferID
    /// The app's own name for the transfer.
    public let key: String?
    let backend: any SessionBackend

    init(id: TransferID, key: String?, backend: any SessionBackend) {
        self.id = id
        self.key = key
        self.backend = backend
    }

    /// The transfer as it is now. Fails with `unknownTransfer` when it was removed.
    public func snapshot() async throws(TransferFailure) -> TransferSnapshot {
        try await backend.show(id).snapshot
    }

    /// The transfer as it is now and as it changes, until it has ended. Only the latest values are given; the last one says how
    /// the transfer ended.
    ///
    /// Each loop observes for itself. A slow loop misses steps in between, but never the last one. The sequence continues after
    /// a restart of the service, and ends without a last value when the transfer is removed.
    public var snapshots: some AsyncSequence<TransferSnapshot, TransferFailure> & Sendable {
        TransferSnapshots(id: id, backend: backend)
    }

    /// Everything about the transfer: its header fields, the kept response, and its last failure, even one that it recovered from.
    public func detail() async throws(TransferFailure) -> TransferDetail {
        try await backend.show(id)
    }

    /// The transfer's history, oldest entry first.
    public func history() async throws(TransferFailure) -> [HistoryEntry] {
        try await backend.history(id)
    }

    /// Stops the transfer at a safe byte until it is resumed. Fails with `invalidState` when the transfer has ended, or while the
    /// answer to a request that must not be repeated is still to come.
    public func pause() async throws(TransferFailure) {
        try await control(.pause)
    }

    /// Resumes the transfer after a pause.
    public func resume() async throws(TransferFailure) {
        try await control(.resume)
    }

    /// Ends the transfer for good and deletes its partial file. Fails with `invalidState` when the transfer has already succeeded or
    /// failed.
    public func cancel() async throws(TransferFailure) {
        try await control(.cancel)
    }

    /// Starts a failed transfer again from its last safe byte, or a cancelled one from the beginning. A transfer that waits
    /// starts at once, even when its server asked for a pause (`Retry-After`) and before its date or outside of its hours. Fails
    /// with `invalidState` when the transfer runs, has succeeded, or waits for conditions that trying again does not change.
    public func retry() async throws(TransferFailure) {
        try await control(.retry)
    }

    /// Waits until the transfer has ended and says how it ended. The result is kept until ``remove()``. Fails with `unknownTransfer`
    /// when it was removed, and with `interrupted` when the task is cancelled or the session closed.
    public func result() async throws(TransferFailure) -> TransferResult {
        for try await snapshot in snapshots where snapshot.state.isEnded {
            return try await TransferResult(of: snapshot, backend: backend)
        }
        // The sequence ended early: the transfer is gone, and asking for it says so, or nobody waits any more.
        if !Task.isCancelled { _ = try await snapshot() }
        throw TransferFailure(.interrupted, "Waiting for the transfer was ended. The transfer itself was not.")
    }

    /// What the transfer brought: waits until it has succeeded, and throws the failure when it has failed.
    ///
    /// ```swift
    /// let file = try await session.download(from: "https://example.org/film", to: "/home/me").value.path
    /// ```
    ///
    /// A transfer that was cancelled throws `interrupted`. ``result()`` tells the same without throwing for a failed transfer.
    public var value: TransferResult {
        get async throws(TransferFailure) {
            let result = try await result()
            switch result.ending {
            case .succeeded: return result
            case .failed(let failure): throw failure
            case .cancelled: throw TransferFailure(.interrupted, "The transfer was cancelled.")
            }
        }
    }

    /// Removes the ended transfer from its session, with its history: its result was taken, and its key is free again.
    /// A downloaded file stays. Fails with `invalidState` while the transfer has not ended. Removing it twice does no harm.
    ///
    /// It leaves the list when what is left of it is tidied up: at once, unless it was cancelled a moment ago.
    public func remove() async throws(TransferFailure) {
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
