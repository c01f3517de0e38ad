/// The connected processes that registered handlers for background tasks.
struct TaskRunners: Equatable, Sendable {
    private struct Runner: Equatable, Sendable {
        var identifiers: Set<String>
        /// Runs that timed out and whose handlers have not returned.
        var stuck: [String: Int64] = [:]
        var told: TaskAssignments?
    }

    private var all: [WatchToken: Runner] = [:]

    var isEmpty: Bool { all.isEmpty }

    /// In the order in which they connected.
    var tokens: [WatchToken] { all.keys.sorted { $0.number < $1.number } }

    func identifiers(of token: WatchToken) -> Set<String> { all[token]?.identifiers ?? [] }

    mutating func add(_ token: WatchToken, _ identifiers: [String]) {
        all[token] = Runner(identifiers: Set(identifiers))
    }

    /// Removes a process. Returns whether it was registered.
    mutating func remove(_ token: WatchToken) -> Bool { all.removeValue(forKey: token) != nil }

    mutating func recordStuck(_ claim: TaskClaim, at token: WatchToken) {
        all[token]?.stuck[claim.identifier] = claim.number
    }

    mutating func recordReturned(_ claim: TaskClaim) {
        for (token, runner) in all where runner.stuck[claim.identifier] == claim.number {
            all[token]?.stuck[claim.identifier] = nil
        }
    }

    /// Records the assignments of a runner. Returns whether they are new to it.
    mutating func recordReported(_ assignments: TaskAssignments, to token: WatchToken) -> Bool {
        guard let runner = all[token], runner.told != assignments else { return false }
        all[token]?.told = assignments
        return true
    }

    /// Returns the process that registered last for a task, or why no process can run it.
    func choose(for identifier: String, isAttached: Bool) -> (app: BackgroundTaskPolicy.App, token: WatchToken?) {
        let able = all.filter { $0.value.identifiers.contains(identifier) }
        let free = able.filter { $0.value.stuck[identifier] == nil }
        if let token = free.keys.max(by: { $0.number < $1.number }) { return (.ready, token) }
        if !able.isEmpty { return (.stuck, nil) }
        return (isAttached || !all.isEmpty ? .withoutHandler : .absent, nil)
    }
}
