/// The schedule of the network thread's checks of exchanges. Times are monotonic nanoseconds.
struct Watches {
    /// The next check of all exchanges.
    private(set) var nextLook: Int64 = 0
    /// Paused exchanges, and the ends of their pauses.
    private var resting: [(exchange: Exchange, until: Int64)] = []
    /// Exchanges whose bodies libcurl has read to the last byte, but may not have sent completely.
    private var draining: [Exchange] = []

    /// Checks all exchanges by this time.
    mutating func check(by time: Int64) { nextLook = min(nextLook, time) }

    /// Schedules the next check.
    mutating func hasLooked(next: Int64, at now: Int64) {
        let nextWord = draining.lazy.map(\.report.dueTime).filter { $0 > now }.min()
        nextLook = min(next, nextWord ?? .max)
    }

    mutating func rest(_ exchange: Exchange, until time: Int64) { resting.append((exchange, time)) }

    /// The first end of a pause.
    var endOfRest: Int64 { resting.lazy.map(\.until).min() ?? .max }

    /// Removes and returns the exchanges whose pause is over.
    mutating func takeRested(at now: Int64) -> [Exchange] {
        guard resting.contains(where: { $0.until <= now }) else { return [] }
        let due = resting.filter { $0.until <= now }
        resting.removeAll { $0.until <= now }
        return due.map(\.exchange)
    }

    mutating func drain(_ exchange: Exchange, at now: Int64) {
        draining.append(exchange)
        check(by: max(exchange.report.dueTime, now))
    }

    /// Removes the exchanges whose bodies have been sent.
    mutating func checkDraining() {
        if !draining.isEmpty { draining.removeAll { $0.hasDrained() } }
    }
}
