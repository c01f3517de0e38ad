import LonghaulClient
import LonghaulCore
import Synchronization

/// What is sent when this process is lost without a word.
extension TransferSession {
    /// Leaves a request that is sent if this process ends without a word: killed, crashed, or with the machine, and then at the
    /// next start. It is on disk when this returns, and takes the place of the one that this process left in the session before.
    ///
    /// An orderly end takes it back: ``takeBackLastWill()``, ``close()``, and `willTerminate` of a lifecycle that the session
    /// follows. It is submitted once and delivered at least once, with an `Idempotency-Key` of its own unless it has one.
    public func setLastWill(_ request: DataRequest) async throws(TransferFailure) {
        try await lastWill.keep(
            .request(
                request.url, method: request.method, body: request.body, headers: request.headers,
                options: configuration.options, network: configuration.network))
    }

    /// Takes it back: the process comes to an orderly end. What was sent already stays sent.
    public func takeBackLastWill() async throws(TransferFailure) {
        try await lastWill.takeBack()
    }
}

/// The last will of this process in a session, and the file by whose lock the kernel tells others that the process lives.
final class LastWillDesk: Sendable {
    /// The witnesses of sessions that were let go without a goodbye: the process lives on, so they are held until it ends.
    private static let orphans = Mutex<[StagedFile]>([])

    private let backend: any SessionBackend
    private let witness = Mutex<StagedFile?>(nil)
    /// One call at a time: a witness that is given up must not be named by a will that is just being kept.
    private let gate = CallGate()

    init(_ backend: any SessionBackend) {
        self.backend = backend
    }

    deinit {
        guard let witness = witness.withLock({ $0 }) else { return }
        Self.orphans.withLock { $0.append(witness) }
    }

    func keep(_ request: TransferSpec) async throws(TransferFailure) {
        await gate.beginMove()
        defer { gate.endMove() }
        let file = if let held = witness.withLock({ $0 }) { held } else { try await backend.stage([]) }
        // Held also when this fails: the will may have been kept all the same.
        witness.withLock { $0 = file }
        let random = (UInt64.random(in: .min ... .max), UInt64.random(in: .min ... .max))
        let will = LastWill(request: request.asLastRequest(random: random, now: .now), witness: file.name)
        try await backend.order(.keep(will))
    }

    func takeBack() async throws(TransferFailure) {
        await gate.beginMove()
        defer { gate.endMove() }
        guard let file = witness.withLock({ $0 }) else { return }
        try await backend.order(.takeBack(witness: file.name))
        witness.withLock { $0 = nil }
    }

    /// Takes it back if that can be done. If not, it is sent when this process has ended: nothing tells by then that it said
    /// goodbye.
    @Sendable func sayGoodbye() async { try? await takeBack() }
}

extension StagedFile {
    fileprivate var name: String { source.path.split(separator: "/").last.map(String.init) ?? "" }
}

extension SessionBackend {
    fileprivate func order(_ order: LastWillOrder) async throws(TransferFailure) {
        guard case .info = try await ask(.lastWill(order)) else { throw .unexpectedAnswer }
    }
}
