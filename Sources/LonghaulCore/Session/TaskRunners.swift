/// The processes that have declared handlers for background tasks and are here.
struct TaskRunners: Equatable, Sendable {
    private struct Runner: Equatable, Sendable {
        var identifiers: Set<String>
        /// Runs that were given up and have not returned there.
        var stuck: [String: Int64] = [:]
        var told: TaskAssignments?
    }

    private var all: [WatchToken: Runner] = [:]

    var isEmpty: Bool { all.isEmpty }

    /// In the order in which they came.
    var tokens: [WatchToken] { all.keys.sorted { $0.number < $1.number } }

    func identifiers(of token: WatchToken) -> Set<String> { all[token]?.identifiers ?? [] }

    mutating func add(_ token: WatchToken, _ identifiers: [String]) {
        all[token] = Runner(identifiers: Set(identifiers))
    }

    /// Whether it was here.
    mutating func remove(_ token: WatchToken) -> Bool { all.removeValue(forKey: token) != nil }

    mutating func noteStuck(_ claim: TaskClaim, at token: WatchToken) {
        all[token]?.stuck[claim.identifier] = claim.number
    }

    mutating func noteReturned(_ claim: TaskClaim) {
        for (token, runner) in all where runner.stuck[claim.identifier] == claim.number {
            all[token]?.stuck[claim.identifier] = nil
        }
    }

    /// Whether the runner has to be told what is its own.
    mutating func noteTold(_ assignments: TaskAssignments, to token: WatchToken) -> Bool {
        guard let runner = all[token], runner.told != assignments else { return false }
        all[token]?.told = assignments
        return true
    }

    /// Who could run a task, or why nobody can; the one that declared it last.
    func choose(for identifier: String, isAttached: Bool) -> (app: BackgroundTaskPolicy.App, token: WatchToken?) {
        let able = all.filter { $0.value.identifiers.contains(identifier) }
        let free = able.filter { $0.value.stuck[identifier] == nil }
        if let token = free.keys.max(by: { $0.number < $1.number }) { return (.ready, token) }
        if !able.isEmpty { return (.stuck, nil) }
        return (isAttached || !all.isEmpty ? .withoutHandler : .absent, nil)
    }
}
