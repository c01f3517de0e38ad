import LonghaulCore

/// What the loop knows of the session's events and of waking its app without asking the store. It follows the rows: a turn
/// that does not reach its commit puts it back.
struct EventBook: Equatable {
    /// Whether somebody wants to be told of events: until then none are kept.
    var keepsEvents = false
    /// The highest number given so far.
    var newest: Int64 = 0
    /// Whether the end of all transfers waits to be acknowledged.
    var saysAllFinished = false
    /// The newest event that the app has to be started for.
    var occasion: EventRecord?
    var registration: WakeRegistration?
    var record = WakeRecord()
}

/// Who wants to know of events in this process, and how the app stands.
struct Attendance {
    typealias Observer = @Sendable (_ newest: Int64) -> Void

    private(set) var observers: [WatchToken: Observer] = [:]
    /// When the last of them went; at first, when the session was opened: who ran it before may have seen everything.
    private(set) var leftAt: WallTime

    init(openedAt: WallTime) {
        leftAt = openedAt
    }

    var isAttached: Bool { !observers.isEmpty }

    mutating func add(_ token: WatchToken, _ observer: @escaping Observer) {
        observers[token] = observer
    }

    mutating func remove(_ token: WatchToken, at now: WallTime) {
        guard observers.removeValue(forKey: token) != nil, observers.isEmpty else { return }
        leftAt = now
    }
}
