extension TransferSession {
    /// Ties the session to the lifecycle of its process, until the task is cancelled.
    ///
    /// ```swift
    /// let lifecycle = ProcessLifecycle()
    /// await withDiscardingTaskGroup { group in
    ///     group.addTask { await session.follow(lifecycle) { outcome in show(outcome) } }
    ///     group.addTask { await lifecycle.run() }
    /// }
    /// ```
    ///
    /// When the process enters the background or is about to exit, transfers that can finish in the remaining time finish here. For a
    /// request whose body has been sent, this process waits for the response and does not send it again. Then the service continues the
    /// session from the last synced offset; without a service, the transfers stop there. Handles and sequences of this session keep
    /// working. In ``Execution/service``, nothing has to move.
    ///
    /// Calls `onHandoff` after each handoff. The exit of the process waits for the handoff and for this call.
    public func follow(
        _ lifecycle: ProcessLifecycle, onHandoff: @escaping @Sendable (HandoffOutcome) async -> Void = { _ in }
    ) async {
        await follow(lifecycle) { (report: HandoffReport) in await onHandoff(report.outcome) }
    }

    package func follow(
        _ lifecycle: ProcessLifecycle, reporting: @escaping @Sendable (HandoffReport) async -> Void
    ) async {
        await LifecycleFollower(
            lifecycle: lifecycle, mover: mover, beforeExit: lastWill.cancelBeforeExit, report: reporting
        ).run()
    }
}
