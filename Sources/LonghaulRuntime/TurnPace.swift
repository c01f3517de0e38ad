import LonghaulCore

/// How long a turn accepts more inputs before its commit: a commit costs nearly the same for one change and for hundreds.
struct TurnPace {
    /// The most events in one turn. Each delays the commit, and with it the replies to clients.
    static let mostInputs = 1_024
    /// After this many events new turns are granted, so that the engine works while the loop handles the other events.
    static let fewEvents = 2
    /// With this many running exchanges, the next event is a moment away. A turn waits for it, up to `longest` in total.
    private static let manyRunning = 8
    private static let longest = Duration.milliseconds(25)

    let begin: WallTime

    /// Whether a short wait does no harm: no client waits for this commit, and freed slots are in use again. Otherwise many short
    /// exchanges would each wait for a commit that takes longer than they do.
    func mayWait(isAwaited: Bool, runningCount: Int, now: () -> WallTime) -> Bool {
        guard !isAwaited, runningCount >= Self.manyRunning else { return false }
        let now = now()
        return now >= begin && now - begin < Self.longest
    }
}
