import LonghaulCore
import LonghaulSystem
import Synchronization

extension TransferSession {
    /// Stores a request that is sent if this process ends unexpectedly: by a kill, by a crash, or with the machine (then after its next
    /// start). It is on disk when this returns, and replaces the last will that this process stored before.
    ///
    /// ```swift
    /// try await session.setLastWill(.request("https://example.org/offline", method: "POST"))
    /// ```
    ///
    /// An orderly exit cancels it: ``cancelLastWill()``, ``close()``, and the exit announced by a lifecycle that the session follows. It is
    /// delivered at least once, with an `Idempotency-Key` unless it has one. The options of the session's configuration replace default
    /// options. Fails with `invalidArgument` if it is not a request.
    public func setLastWill(_ request: TransferSpec) async throws(TransferFailure) {
        guard case .request = request.work else {
            throw TransferFailure(.invalidArgument, "A last will must be a request, without a file.")
        }
        try await lastWill.keep(configuration.completing([request])[0])
    }

    /// Cancels the last will of this process. A request that was already sent stays sent.
    public func cancelLastWill() async throws(TransferFailure) {
        try await lastWill.cancel()
    }
}

/// The last will of this process in a session, and the file whose lock shows other processes that this one runs.
final class LastWillStore: Sendable {
    /// The lock files of sessions that were released without `close`. They stay locked until the process ends.
    private static let orphans = Mutex<[StagedFile]>([])

    private let backend: any SessionBackend
    let witness = Mutex<StagedFile?>(nil)
    /// One call at a time: a last will that is being stored must not name a lock file that is being released.
    private let callLock = CallLock()

    init(_ backend: any SessionBackend) {
        self.backend = backend
    }

    deinit {
        guard let witness = witness.withLock({ $0 }) else { return }
        Self.orphans.withLock { $0.append(witness) }
    }

    func keep(_ request: TransferSpec) async throws(TransferFailure) {
        await callLock.beginMove()
        defer { callLock.endMove() }
        let file = if let held = witness.withLock({ $0 }) { held } else { try await backend.stage([]) }
        // Held even if this fails: the last will may have been stored.
        witness.withLock { $0 = file }
        let random = (UInt64.random(in: .min ... .max), UInt64.random(in: .min ... .max))
        let will = LastWill(request: request.asLastRequest(random: random, now: .now), witness: file.name)
        try await backend.order(.keep(will))
    }

    func cancel() async throws(TransferFailure) {
        await callLock.beginMove()
        defer { callLock.endMove() }
        guard let file = witness.withLock({ $0 }) else { return }
        try await backend.order(.takeBack(witness: file.name))
        witness.withLock { $0 = nil }
    }

    /// Releases the lock, as the end of the process does. Tests simulate that end in a process that lives on.
    func abandon() { witness.withLock { $0 = nil } }

    /// Cancels the last will if possible. Otherwise it is sent after this process has exited.
    @Sendable func cancelBeforeExit() async { try? await cancel() }
}

extension StagedFile {
    fileprivate var name: String { source.path.split(separator: "/").last.map(String.init) ?? "" }
}

extension SessionBackend {
    fileprivate func order(_ order: LastWillOrder) async throws(TransferFailure) {
        guard case .info = try await send(.lastWill(order)) else { throw .unexpectedAnswer }
    }
}
