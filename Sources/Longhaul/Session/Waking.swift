import LonghaulCore
import LonghaulIPC
import LonghaulSystem

/// What an app that is not always there has to know: the session's events, and how it is started for them.
extension TransferSession {
    /// What has happened and is not acknowledged, oldest first, and then what happens.
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
    /// Each event is given at least once: it comes again at the next launch until it is acknowledged. Each loop
    /// observes for itself, from the oldest event on. It goes on when the service had to be started again, and ends when the
    /// session is closed or the task cancelled.
    public var events: some AsyncSequence<SessionEvent, TransferFailure> & Sendable {
        SessionEvents(backend: backend)
    }

    /// What has happened and is not acknowledged, oldest first: for an app that was started for it, takes it in and leaves.
    public func pendingEvents() async throws(TransferFailure) -> [SessionEvent] {
        var all: [SessionEvent] = []
        var page: EventPage
        repeat {
            page = try await backend.events(after: all.last?.number ?? 0)
            all += page.events
        } while page.hasMore
        return all
    }

    /// Says that an event and all before it were taken: they are not given again, and the app is not started for them.
    ///
    /// The results of transfers are another thing: they are kept until ``Transfer/remove()``, which also takes back
    /// what there is to tell of that transfer.
    public func acknowledge(_ event: SessionEvent) async throws(TransferFailure) {
        try await backend.acknowledgeEvents(through: event.number)
    }

    /// Sets how the service starts this app when it is not there; `nil` for not at all. It is kept with the session.
    ///
    /// Fails with `invalidArgument` for a name or a command that cannot be one. Whether the app can be started is seen
    /// when it is: `longhaul session` tells.
    public func setWake(_ registration: WakeRegistration?) async throws(TransferFailure) {
        try await backend.setWake(registration)
    }

    /// How the app is started, when it was, what came of it, and why it is not started now.
    package func wakeStatus() async throws(TransferFailure) -> WakeStatus {
        try await backend.wakeStatus()
    }
}

extension WakeRegistration {
    /// Starts the program of this process again, with these arguments. They may hold placeholders, as those of
    /// ``LonghaulCore/WakeMethod/command(_:)`` may.
    ///
    /// ```swift
    /// configuration.wake = .thisProgram("--background")
    /// ```
    ///
    /// An app that has windows is better started by the bus or by a unit, which know its environment.
    public static func thisProgram(_ arguments: String...) -> WakeRegistration {
        thisProgram(arguments)
    }

    /// Starts the program of this process again, with these arguments and other times between its starts.
    public static func thisProgram(
        _ arguments: [String], sessionSendsLaunchEvents: Bool = true, backoff: WakeBackoff = WakeBackoff()
    ) -> WakeRegistration {
        WakeRegistration(
            .command([ThisProcess.executable] + arguments), sessionSendsLaunchEvents: sessionSendsLaunchEvents,
            backoff: backoff)
    }
}

extension WakeRequest {
    /// What this process was started for; `nil` when it was not started for a session by its environment. An app that is
    /// started on the bus gets the session as the parameter of its action instead.
    public static var current: WakeRequest? { WakeRequest(environment: ProcessEnvironment.current) }
}
