import LonghaulClient
import LonghaulIPC

/// A durable queue of downloads, uploads and requests, opened by its identifier.
///
/// ```swift
/// let session = try await TransferSession.open("org.example.photos")
/// let transfer = try await session.upload(file: path, to: "https://example.org/photos/1", key: "photo 1")
/// for try await snapshot in transfer.snapshots { show(snapshot) }
/// ```
///
/// Every call that starts a transfer returns when the transfer is on disk. From then on it does not need the app: after
/// a crash, a kill or a restart, open the session by the same identifier and everything is there.
///
/// All failures are ``LonghaulCore/TransferFailure``. The session can be used from any task; its calls do not wait for
/// each other.
public final class TransferSession: Sendable {
    /// What the session is called, here and in its directory.
    public let id: SessionID
    let configuration: Configuration
    let backend: any SessionBackend
    let mover: any SessionMover
    let promotions = DataDesk()
    let lastWill: LastWillDesk

    private init(
        id: SessionID, configuration: Configuration, backend: any SessionBackend, mover: any SessionMover
    ) {
        self.id = id
        self.configuration = configuration
        self.backend = backend
        self.mover = mover
        lastWill = LastWillDesk(backend)
    }

    /// Opens a session; one that does not exist is made with its first transfer.
    ///
    /// Use an identifier in reverse-DNS form, such as `org.example.photos`. With ``Execution/service`` any number of
    /// processes of a user may open the same session. With ``Execution/inProcess`` one process has it at a time, and
    /// its unfinished transfers go on with the opening.
    ///
    /// As long as it is open the app counts as there: it is not started for what happens meanwhile.
    ///
    /// Fails with `invalidArgument` for an identifier that cannot be one, `serviceUnavailable` when no service can be
    /// started, and `sessionInUse` while another process moves the session's bytes. A queue that the disk has damaged is
    /// mended: a transfer whose progress is lost has failed with `storeDamaged`, and can be retried.
    public static func open(
        _ identifier: String, configuration: Configuration = Configuration()
    ) async throws(TransferFailure) -> TransferSession {
        guard let id = SessionID(identifier) else {
            throw TransferFailure(
                .invalidArgument,
                "\"\(identifier)\" cannot name a session: use letters, digits, dots, hyphens and underscores.")
        }
        let session: TransferSession
        switch configuration.execution {
        case .service:
            guard configuration.stateDirectory == nil else {
                throw TransferFailure(
                    .invalidArgument, "The service has its own state directory: leave it out, or run in-process.")
            }
            let backend = try await ServiceBackend.open(id, environment: configuration.processEnvironment)
            session = TransferSession(id: id, configuration: configuration, backend: backend, mover: backend)
        case .inProcess:
            let backend = try await MovingBackend.open(try configuration.arrival(id))
            session = TransferSession(id: id, configuration: configuration, backend: backend, mover: backend.mover)
        }
        if let limits = configuration.limits { try await session.setLimits(limits) }
        if let policy = configuration.ownerLossPolicy { try await session.setOwnerLossPolicy(policy) }
        if let wake = configuration.wake { try await session.setWake(wake) }
        if let notifications = configuration.notifications { try await session.setNotifications(notifications) }
        return session
    }

    /// Opens the session that a start of this app is about: ``LonghaulCore/WakeRequest/session``.
    public static func open(
        _ id: SessionID, configuration: Configuration = Configuration()
    ) async throws(TransferFailure) -> TransferSession {
        try await open(id.description, configuration: configuration)
    }

    /// Lets go of the session. Sequences end, and later calls fail with `invalidState`.
    ///
    /// In `.service` execution nothing happens to the transfers. In `.inProcess` execution they stop at their last safe
    /// byte and the session is free for another process when this returns; with a ``Handoff`` the service goes on with it. Letting go of the session and everything
    /// that came from it does the same, in its own time.
    ///
    /// Closing is a goodbye: it takes the last will back. Letting go is none.
    public func close() async {
        await lastWill.sayGoodbye()
        await backend.close()
    }

    /// How many transfers may run at once.
    public func limits() async throws(TransferFailure) -> SessionLimits {
        try await backend.limits()
    }

    /// Changes how many transfers may run at once. It takes effect at once and is kept.
    public func setLimits(_ limits: SessionLimits) async throws(TransferFailure) {
        try await backend.setLimits(limits)
    }
}
