/// What a lifecycle asks of whoever moves a session's bytes.
protocol SessionMover: Sendable {
    /// The app is about to be suspended or ended. Returns when it may be: when what was worth waiting for has ended, or
    /// shortly before the deadline, and the session was given to whoever goes on with it.
    ///
    /// `isWanted` is asked until the session is let go of: an app that came back keeps it.
    func leave(
        by deadline: ContinuousClock.Instant, while isWanted: @escaping @Sendable () -> Bool
    ) async -> HandoffReport

    /// The app is back: whoever waits in `leave` asks again whether that is wanted.
    func interrupt() async

    /// The app is in front.
    func comeBack() async -> HandoffReport
}

/// In the hands of the service nothing moves at all, whatever the app does.
extension ServiceBackend: SessionMover {
    func leave(
        by deadline: ContinuousClock.Instant, while isWanted: @escaping @Sendable () -> Bool
    ) async -> HandoffReport {
        HandoffReport(.unchanged)
    }

    func interrupt() async {}

    func comeBack() async -> HandoffReport { HandoffReport(.unchanged) }
}
