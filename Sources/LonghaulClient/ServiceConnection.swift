public import LonghaulCore
public import LonghaulIPC

/// A connection to the user's `longhauld`.
///
/// Any number of calls may be under way at once. When the service goes away, calls under way fail with
/// `serviceUnavailable`; what was answered before is on disk.
public final class ServiceConnection: Sendable {
    /// Connects, starting the service first when `startsService` is set and none answers.
    public static func open(startsService: Bool = true) async throws(TransferFailure) -> ServiceConnection {
        fatalError()
    }

    /// Submits transfers; returns after they are on disk.
    public func submit(
        _ transfers: [TransferSpec], to session: SessionID
    ) async throws(TransferFailure) -> [SubmissionAnswer] { fatalError() }

    /// Pauses, resumes, cancels, retries or removes.
    public func control(
        _ verb: ControlVerb, _ selection: TransferSelection, in session: SessionID
    ) async throws(TransferFailure) -> ControlAnswer { fatalError() }

    /// One page of transfers.
    public func list(_ query: ListQuery, in session: SessionID) async throws(TransferFailure) -> ListPage {
        fatalError()
    }

    /// Everything about one transfer.
    public func show(_ id: TransferID, in session: SessionID) async throws(TransferFailure) -> TransferDetail {
        fatalError()
    }

    /// What happened to one transfer, oldest first.
    public func history(_ id: TransferID, in session: SessionID) async throws(TransferFailure) -> [HistoryEntry] {
        fatalError()
    }

    /// The limits now in force.
    public func limits(of session: SessionID) async throws(TransferFailure) -> SessionLimits { fatalError() }

    /// Sets limits; they take effect at once and are kept.
    public func setLimits(_ limits: SessionLimits, of session: SessionID) async throws(TransferFailure) {
        fatalError()
    }

    /// The selected transfers as they are, then their changes, latest values only. Ends by throwing
    /// `serviceUnavailable` when the service goes away.
    public func watch(
        _ selection: TransferSelection, in session: SessionID
    ) -> AsyncThrowingStream<WatchUpdate, any Error> { fatalError() }

    /// Every session there is.
    public func sessions() async throws(TransferFailure) -> [SessionSummary] { fatalError() }

    /// The service about itself.
    public func status() async throws(TransferFailure) -> ServiceStatus { fatalError() }

    /// Asks the service to stop; transfers go on at its next start.
    public func stopService() async throws(TransferFailure) { fatalError() }

    /// Ends the connection.
    public func close() { fatalError() }
}
