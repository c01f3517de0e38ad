import LonghaulCore
import LonghaulSystem

/// Events of a session, and launches of its app for them.
extension TransferSession {
    /// The events that the app has not acknowledged, oldest first, and then each new event.
    ///
    /// ```swift
    /// for try await event in session.events {
    ///     switch event.kind {
    ///     case .transferFinished(let snapshot): try album.take(snapshot)
    ///     case .needsCredentials(let snapshot): askForPassword(snapshot)
    ///     case .allTransfersFinished: album.refresh()
    ///     case .notificationTapped(let tap): show(tap.transfer)
    ///     }
    ///     try await session.acknowledge(event)
    /// }
    /// ```
    ///
    /// Delivery is at least once: an event is repeated at each launch until the app acknowledges it. Each loop is an observer and starts
    /// with the oldest event. It continues after a restart of the service, and ends when the session is closed or the task is cancelled.
    public var events: some AsyncSequence<SessionEvent, TransferFailure> & Sendable {
        SessionEvents(backend: backend)
    }

    /// Returns the events that the app has not acknowledged, oldest first, for an app that was started to process them and exits.
    public func pendingEvents() async throws(TransferFailure) -> [SessionEvent] {
        var all: [SessionEvent] = []
        var page: EventPage
        repeat {
            page = try await backend.events(after: all.last?.number ?? 0)
            all += page.events
        } while page.hasMore
        return all
    }

    /// Acknowledges an event and all events before it. They are not delivered again, and the app is not started for them.
    ///
    /// Acknowledging an event keeps the transfer and its result. ``Transfer/remove()`` deletes both, and the transfer's events.
    public func acknowledge(_ event: SessionEvent) async throws(TransferFailure) {
        try await backend.acknowledgeEvents(through: event.number)
    }

    /// Sets how the service starts this app when it is not running; `nil` for not at all. The session stores the registration.
    ///
    /// Fails with `invalidArgument` for an invalid name or command. A start that fails later is shown by `longhaul session`.
    public func setWake(_ registration: WakeRegistration?) async throws(TransferFailure) {
        try await backend.setWake(registration)
    }

    /// Returns how the app is started, when it was last started, the result, and why it is not started now.
    package func wakeStatus() async throws(TransferFailure) -> WakeStatus {
        try await backend.wakeStatus()
    }
}

extension WakeRegistration {
    /// Starts the program of this process with these arguments, which may be placeholders as in
    /// ``LonghaulCore/WakeRegistration/command(_:sessionSendsLaunchEvents:)``.
    ///
    /// ```swift
    /// configuration.wake = .thisProgram("--background")
    /// ```
    ///
    /// For an app with windows, prefer the bus or a unit, which know the environment of the desktop.
    public static func thisProgram(
        _ arguments: String..., sessionSendsLaunchEvents: Bool = true
    ) -> WakeRegistration {
        .command([ThisProcess.executable] + arguments, sessionSendsLaunchEvents: sessionSendsLaunchEvents)
    }
}

extension WakeRequest {
    /// The request that this process was started for; `nil` if its environment names no session. An app that the bus starts gets
    /// the session as the parameter of its action instead.
    public static var current: WakeRequest? { WakeRequest(environment: ProcessEnvironment.current) }
}
