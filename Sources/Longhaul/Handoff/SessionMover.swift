/// Moves a session's transfers when its app's lifecycle changes.
protocol SessionMover: Sendable {
    /// Prepares for the suspension or the end of the app. Returns when everything worth waiting for has ended, or
    /// shortly before the deadline, after handing the session over.
    ///
    /// `isWanted` is polled until the session is released: an app that came back keeps it.
    func handOver(
        by deadline: ContinuousClock.Instant, while isWanted: @escaping @Sendable () -> Bool
    ) async -> HandoffReport

    /// Makes `handOver` check `isWanted` again, because the app is back.
    func interrupt() async

    /// Takes the session back when the app is in front.
    func comeBack() async -> HandoffReport
}
