import Synchronization

/// A durable queue of downloads, uploads and requests, opened by its identifier.
///
/// ```swift
/// let session = try await TransferSession.open("org.example.photos")
/// let transfer = try await session.upload(file: path, to: "https://example.org/photos/1", key: "photo 1")
/// for try await snapshot in transfer.snapshots { show(snapshot) }
/// ```
///
/// Every call that starts a transfer returns when the transfer is stored on disk. From then on, the transfer does not need the app:
/// after a crash, a kill, or a restart, open the session with the same identifier to find it.
///
/// All calls throw ``LonghaulCore/TransferFailure``. The session can be used from any task; its calls do not wait for each other.
public final class TransferSession: Sendable {
    package let id: SessionID
    /// The identifier that the session was opened with.
    public var identifier: String { id.description }
    let configuration: Configuration
    let backend: any SessionBackend
    let mover: any SessionMover
    /// This app's answers to credential requests.
    let credentials = Mutex<CredentialProvision?>(nil)
    let lastWill: LastWillStore
    /// The handlers of ``tasks``.
    let handlers = HandlerRegistry()

    private init(
        id: SessionID, configuration: Configuration, backend: any SessionBackend, mover: any SessionMover
    ) {
        self.id = id
        self.configuration = configuration
        self.backend = backend
        self.mover = mover
        lastWill = LastWillStore(backend)
    }

    /// Opens a session. Its first transfer creates it on disk.
    ///
    /// Use an identifier in reverse-DNS form, such as `org.example.photos`. In ``Execution/service``, any number of processes of a user
    /// can open the same session. Otherwise one process has it open at a time, and its unfinished transfers resume.
    ///
    /// While the session is open, the service does not start the app for its events.
    ///
    /// Fails with `invalidArgument` for an invalid identifier, with `serviceUnavailable` if the service cannot be started, with
    /// `tooManyOpenFiles` if the process has no file descriptor left, and with `sessionInUse` while another process runs the session.
    /// A database that the disk has damaged is repaired. A transfer whose progress was lost then fails with `storeDamaged`; retry it.
    public static func open(
        _ identifier: String, configuration: Configuration = Configuration()
    ) async throws(TransferFailure) -> TransferSession {
        guard let id = SessionID(identifier) else {
            throw TransferFailure(
                .invalidArgument,
                "\"\(identifier)\" is not a session identifier. Use letters, digits, dots, hyphens, and underscores.")
        }
        let session: TransferSession
        if let arrival = try configuration.arrival(id) {
            let backend = try await MovingBackend.open(arrival)
            session = TransferSession(id: id, configuration: configuration, backend: backend, mover: backend.mover)
        } else {
            let backend = try await configuration.serviceLink(id).openBackend()
            session = TransferSession(id: id, configuration: configuration, backend: backend, mover: backend)
        }
        // Costs a commit only if it changes something.
        if let rules = configuration.rules, try await session.rules() != rules { try await session.setRules(rules) }
        if let policy = configuration.ownerLossPolicy { try await session.setOwnerLossPolicy(policy) }
        if let wake = configuration.wake { try await session.setWake(wake) }
        if let notifications = configuration.notifications { try await session.setNotifications(notifications) }
        return session
    }

    package static func open(
        _ id: SessionID, configuration: Configuration = Configuration()
    ) async throws(TransferFailure) -> TransferSession {
        try await open(id.description, configuration: configuration)
    }

    /// Closes the session. Its sequences end, and later calls fail with `invalidState`.
    ///
    /// In ``Execution/service``, the transfers continue. In ``Execution/inProcess(stateDirectory:)``, they stop at their last synced
    /// offset, and another process can open the session when this returns. In ``Execution/handoff(takesOver:)``, the service
    /// continues them. Releasing the session and every handle and sequence of it has the same effect, at a later time.
    ///
    /// Closing cancels the last will; releasing the session does not.
    public func close() async {
        credentials.withLock { $0 = nil }
        await lastWill.cancelBeforeExit()
        await backend.close()
    }
}
