/// The wish that the user's service continues an in-process session when its app leaves, and what happens when the app comes back.
public struct Handoff: Equatable, Sendable {
    /// What an app does in the foreground with a session that the service runs.
    public enum Foreground: Equatable, Sendable {
        /// It takes the session over, unless that would cost bytes or an answer: then it watches.
        case takeOver
        /// It watches. What it starts is moved by the service as well, until a launch that finds no session.
        case watch
    }

    /// At launch and whenever the app is in front again.
    public var foreground: Foreground

    /// Takes every value.
    public init(foreground: Foreground = .takeOver) {
        self.foreground = foreground
    }
}

extension TransferSession {
    /// Joins the session to the life of its process, until the task is cancelled.
    ///
    /// ```swift
    /// let lifecycle = ProcessLifecycle()
    /// await withDiscardingTaskGroup { group in
    ///     group.addTask { await session.follow(lifecycle) { report in show(report.outcome) } }
    ///     group.addTask { await lifecycle.run(ProcessSignals()) }
    /// }
    /// ```
    ///
    /// When the process enters the background or is about to end, transfers that can end in the time that is left are ended
    /// here. A request that was sent completely is waited for and not sent again. Then the session is given to the service,
    /// which goes on from the last safe byte; without one, everything stops there. Handles and sequences of this session
    /// keep working. In `.service` execution nothing moves at all.
    ///
    /// `onHandoff` is told of each change of hands. While it runs, the end of the process waits, as it does for the hand-over
    /// itself.
    public func follow(
        _ lifecycle: ProcessLifecycle, onHandoff: @escaping @Sendable (HandoffReport) async -> Void = { _ in }
    ) async {
        await LifecycleFollower(lifecycle: lifecycle, mover: mover, sayGoodbye: lastWill.sayGoodbye, tell: onHandoff)
            .run()
    }
}
