/// When the network thread looks at which exchanges. Times are monotonic nanoseconds.
struct Watches {
    /// When it looks at all of them.
    private(set) var nextLook: Int64 = 0
    /// Exchanges that rest, and until when.
    private var resting: [(exchange: Exchange, until: Int64)] = []
    /// Exchanges whose bodies libcurl has taken to the last byte, and that may not have left completely.
    private var draining: [Exchange] = []

    /// All are looked at by this time.
    mutating func look(by time: Int64) { nextLook = min(nextLook, time) }

    /// All were looked at.
    mutating func hasLooked(next: Int64, at now: Int64) {
        let nextWord = draining.lazy.map(\.report.dueTime).filter { $0 > now }.min()
        nextLook = min(next, nextWord ?? .max)
    }

    mutating func rest(_ exchange: Exchange, until time: Int64) { resting.append((exchange, time)) }

    /// When the first rest ends.
    var endOfRest: Int64 { resting.lazy.map(\.until).min() ?? .max }

    /// Those whose rest is over.
    mutating func takeRested(at now: Int64) -> [Exchange] {
        guard resting.contains(where: { $0.until <= now }) else { return [] }
        let due = resting.filter { $0.until <= now }
        resting.removeAll { $0.until <= now }
        return due.map(\.exchange)
    }

    mutating func drain(_ exchange: Exchange, at now: Int64) {
        draining.append(exchange)
        look(by: max(exchange.report.dueTime, now))
    }

    /// Asks all whether their bodies have left.
    mutating func lookAtDraining() {
        if !draining.isEmpty { draining.removeAll { $0.hasDrained() } }
    }
}
