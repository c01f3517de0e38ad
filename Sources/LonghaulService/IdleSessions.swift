import LonghaulCore

/// Decides which idle session of a service is closed next.
struct IdleSessions {
    /// How long an idle session waits for the next request: longer than between two commands in a terminal.
    static let patience = Duration.seconds(10)
    /// How many idle sessions wait that long.
    static let most = 3
    /// How long the others wait.
    static let briefPatience = Duration.milliseconds(100)

    /// Sessions with nothing to do, and since when.
    private var since: [SessionID: SuspendingClock.Instant] = [:]
    /// The number of callers that use an open session at the moment.
    private var uses: [SessionID: Int] = [:]
    /// Whether the server's thread will ask for the next session without another wake.
    var expectsCall = false
    /// Whether a thread closes sessions.
    var isClosing = false

    /// Notes that a session has nothing to do from now on. Returns whether to wake the server's thread.
    mutating func record(_ id: SessionID) -> Bool {
        since[id] = .now
        return wakes()
    }

    mutating func forget(_ id: SessionID) { since[id] = nil }

    /// Keeps a session open until `endUse`. `isIdle` notes that it has nothing to do.
    mutating func beginUse(of id: SessionID, isIdle: Bool = false) {
        uses[id, default: 0] += 1
        if isIdle || since[id] != nil { since[id] = .now }
    }

    /// Returns whether to wake the server's thread.
    mutating func endUse(of id: SessionID) -> Bool {
        let rest = (uses[id] ?? 1) - 1
        uses[id] = rest > 0 ? rest : nil
        return since[id] != nil && wakes()
    }

    private mutating func wakes() -> Bool {
        defer { expectsCall = true }
        return !expectsCall || since.count > Self.most
    }

    /// Returns the session to close next, and when. Forgets those that are not idle any more.
    mutating func next(_ isIdle: (SessionID) -> Bool) -> (id: SessionID, at: SuspendingClock.Instant)? {
        since = since.filter { isIdle($0.key) }
        let patience = since.count > Self.most ? Self.briefPatience : Self.patience
        guard let (id, date) = since.filter({ uses[$0.key] == nil }).min(by: { $0.value < $1.value }) else {
            // Callers use all of them, but only for a moment.
            return since.first.map { ($0.key, .now + Self.patience) }
        }
        return (id, date + patience)
    }
}
