import LonghaulCore
import LonghaulSystem
import Synchronization

/// A handle for one transfer of a session. It holds no state, so several handles may stand for the same transfer.
public struct Transfer: Sendable, Identifiable {
    /// The unique identifier of the transfer. Store it, or give the transfer a key, to find the transfer after a relaunch.
    public let id: TransferID
    let backend: any SessionBackend

    init(id: TransferID, backend: any SessionBackend) {
        self.id = id
        self.backend = backend
    }

    /// Returns the present state of the transfer. Fails with `unknownTransfer` if the transfer was removed.
    public func snapshot() async throws(TransferFailure) -> TransferSnapshot {
        try await backend.show(id).snapshot
    }

    /// The present state of the transfer, then each change until the transfer has ended.
    ///
    /// A slow loop skips intermediate states, but never the last one. The sequence continues after a restart of the service. It
    /// ends without a last state if the transfer is removed.
    public var snapshots: some AsyncSequence<TransferSnapshot, TransferFailure> & Sendable {
        TransferSnapshots(id: id, backend: backend)
    }

    /// Returns the options, the request headers, the stored response, and the last failure of the transfer.
    public func detail() async throws(TransferFailure) -> TransferDetail {
        try await backend.show(id)
    }

    /// Returns the history of the transfer, oldest entry first.
    public func history() async throws(TransferFailure) -> [HistoryEntry] {
        try await backend.history(id)
    }

    /// Pauses the transfer. Bytes that the server can resume from are kept.
    ///
    /// Fails with `invalidState` if the transfer has ended, or while the response to a request that must not be repeated is
    /// outstanding.
    public func pause() async throws(TransferFailure) {
        try await control(.pause)
    }

    /// Resumes the transfer after a pause.
    public func resume() async throws(TransferFailure) {
        try await control(.resume)
    }

    /// Cancels the transfer and deletes its partial file. Fails with `invalidState` if the transfer has succeeded or failed.
    public func cancel() async throws(TransferFailure) {
        try await control(.cancel)
    }

    /// Resumes a failed transfer, restarts a cancelled one, or starts a waiting one now.
    ///
    /// A waiting transfer starts before its `Retry-After` time, its start time, and its allowed hours. Fails with `invalidState`
    /// if the transfer is running, has succeeded, or waits for conditions that a retry does not change.
    public func retry() async throws(TransferFailure) {
        try await control(.retry)
    }

    /// Changes options of a transfer that has not ended.
    ///
    /// ```swift
    /// try await transfer.changeOptions { $0.priority = 100 }
    /// ```
    ///
    /// Only the options that the closure changes are sent, so that concurrent changes of other options are kept. All of them
    /// are changed, or none. A change of `timeoutIntervalForResource` counts from now. `segments` takes effect at the next
    /// attempt.
    ///
    /// Fails with `invalidArgument`, and names the options, if the closure changes one that is fixed at the submission:
    /// `key`, `keyConflict`, `mirrors`, `idempotencyKey`, `responseLimit`, the credential, or `isAttended` back to `false`.
    /// Fails with `invalidState` if the transfer has ended, or has started and would get a start time or a predecessor.
    public func changeOptions(
        _ change: (inout TransferOptions) -> Void, isolation: isolated (any Actor)? = #isolation
    ) async throws(TransferFailure) {
        let options = try await backend.show(id).options
        var changed = options
        change(&changed)
        let adjustment = try TransferAdjustment(from: options, to: changed)
        if adjustment != TransferAdjustment() { try await adjust(adjustment) }
    }

    /// Moves the transfer to an end of the queue, by a change of its priority. Running transfers continue.
    ///
    /// ```swift
    /// try await transfer.move(.first)
    /// ```
    ///
    /// The new ``LonghaulCore/TransferOptions/priority`` is one above the highest, or one below the lowest, of the other
    /// transfers that have not ended. Priorities end at 1,000,000 and -1,000,000. Fails with `invalidState` if the transfer has
    /// ended.
    public func move(_ position: QueuePosition) async throws(TransferFailure) {
        let others = try await backend.snapshots(matching: .active).filter { $0.id != id }
        try await adjust(TransferAdjustment(priority: position.priority(among: others.map(\.priority))))
    }

    /// Moves an unfinished download, with the bytes received so far, to another directory, which is created if it is missing.
    ///
    /// A running download can change its name only: pause it to change the directory. A failed download can be moved before
    /// ``retry()``. Fails with `destinationExists` or `destinationUnwritable` if the file cannot be created there, and with
    /// `invalidState` if the transfer is no unfinished download.
    ///
    /// - Parameters:
    ///   - directory: The new directory.
    ///   - fileName: The new name; `nil` keeps the present one.
    public func move(to directory: String, fileName: String? = nil) async throws(TransferFailure) {
        let directory = AbsolutePath.of(directory)
        var adjustment = TransferAdjustment()
        adjustment.destination = try await Blocking.run { () throws(TransferFailure) in
            try LocalPaths.destination(directory, fileName)
        }
        try await adjust(adjustment)
    }

    /// Lets the transfer run under any conditions, at any time, and beyond the data budget. Fails with `invalidState` if the
    /// transfer has ended.
    public func ignoreConditions(_ ignores: Bool = true) async throws(TransferFailure) {
        try await adjust(TransferAdjustment(ignoresConditions: ignores))
    }

    /// Waits until the transfer has ended. The result is kept until ``remove()``.
    package func result() async throws(TransferFailure) -> TransferResult {
        try await TransferResult(of: try await end(), backend: backend)
    }

    /// The last snapshot of the transfer, after its success.
    ///
    /// ```swift
    /// let file = try await session.download(from: "https://example.org/film", to: "/home/me").value.path
    /// ```
    ///
    /// Waits until the transfer has ended. Throws the failure of a failed transfer, and `interrupted` for a cancelled one or if
    /// the waiting task is cancelled. The transfer continues without the task.
    public var value: TransferSnapshot {
        get async throws(TransferFailure) {
            let snapshot = try await end()
            if let failure = snapshot.state.failureOfEnd { throw failure }
            return snapshot
        }
    }

    /// Waits until the upload or request has ended, and returns its response, whatever the status.
    ///
    /// While four calls or fewer of a process wait, their requests start at once, beyond the session's default limits.
    ///
    /// Throws the failure if no response came, for instance `hostNotFound`, and `interrupted` if the transfer or the waiting
    /// task is cancelled. The request continues without the task. Fails with `invalidState` for a download.
    public func response() async throws(TransferFailure) -> Response {
        let isAttended = Self.waits.withLock {
            $0 += 1; return $0 <= TransferOptions.mostAttended
        }
        defer { Self.waits.withLock { $0 -= 1 } }
        if isAttended { await attend() }
        let snapshot = try await end()
        if let response = try await backend.show(id).response { return response }
        throw snapshot.state.failureOfEnd
            ?? TransferFailure(.invalidState, "The transfer has no stored response: the body is in a file.")
    }

    /// Deletes an ended transfer and its history from the session, and releases its key. A downloaded file stays.
    ///
    /// Fails with `invalidState` if the transfer has not ended. Does nothing if the transfer is removed already.
    public func remove() async throws(TransferFailure) {
        do throws(TransferFailure) {
            try await control(.remove)
        } catch {
            guard error.code == .unknownTransfer else { throw error }
        }
    }

    /// How many calls of this process wait for a response.
    private static let waits = Mutex(0)

    /// Lets a request that waits for its turn start beyond the default limits, because a caller waits for its response.
    private func attend() async {
        guard case .waiting(let waiting)? = try? await snapshot().state, waiting.reason == .turn else { return }
        var adjustment = TransferAdjustment()
        adjustment.makesAttended = true
        // A transfer that has just ended needs no slot.
        try? await adjust(adjustment)
    }

    private func end() async throws(TransferFailure) -> TransferSnapshot {
        for try await snapshot in snapshots where snapshot.state.isEnded { return snapshot }
        // The sequence ended early. If the transfer was removed, this fails with `unknownTransfer`.
        if !Task.isCancelled { _ = try await snapshot() }
        throw TransferFailure(.interrupted, "Waiting for the transfer was cancelled. The transfer itself continues.")
    }

    private func control(_ verb: ControlVerb) async throws(TransferFailure) {
        let answer = try await backend.control(verb, .ids([id]))
        if let refusal = answer.refusals.first { throw refusal.failure }
    }

    private func adjust(_ adjustment: TransferAdjustment) async throws(TransferFailure) {
        let answer = try await backend.adjust(adjustment, .ids([id]))
        if let refusal = answer.refusals.first { throw refusal.failure }
    }
}

extension TransferState {
    fileprivate var failureOfEnd: TransferFailure? {
        switch self {
        case .failed(let failure): failure
        case .cancelled: TransferFailure(.interrupted, "The transfer was cancelled.")
        case .waiting, .running, .awaitingResponse, .paused, .succeeded: nil
        }
    }
}
