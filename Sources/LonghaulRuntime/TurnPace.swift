import LonghaulCore

/// How long a turn takes in more before it is committed: a commit costs nearly the same for one change and for hundreds.
struct TurnPace {
    /// How many events may share a turn. Each of them delays the commit, and with it the answers to clients.
    static let mostInputs = 1_024
    /// After so many events what may begin begins: while the loop handles the others, the engine is at work already.
    static let fewEvents = 2
    /// With so many exchanges under way the next event is a moment away. A turn waits for it, up to `longest` in all.
    private static let manyRunning = 8
    private static let longest = Duration.milliseconds(25)

    let begin: WallTime

    /// Whether a moment more does no harm: nobody waits for this commit, and slots that were freed are taken again already.
    /// Many short exchanges would otherwise wait for a commit of their own each few, longer than they take themselves.
    func mayWait(isAwaited: Bool, runningCount: Int, now: () -> WallTime) -> Bool {
        guard !isAwaited, runningCount >= Self.manyRunning else { return false }
        let now = now()
        return now >= begin && now - begin < Self.longest
    }
}
