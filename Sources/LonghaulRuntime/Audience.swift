import LonghaulCore

/// The listeners of a session: watchers of transfers, attached apps, processes with handlers for background tasks, and callers that
/// wait until no step is being stopped.
///
/// After each turn the loop passes a view of the transfers, and each listener receives its changes.
struct Audience {
    /// Transfers in one update for a watcher that receives updates without pulling.
    private static let pushedPage = 1_000
    /// Transfers in one update for a watcher that pulls. Brief updates hold more, because successes are short.
    private static let pulledPage = 256
    private static let briefPage = 1_000
    /// Approximate number of transfers read for watchers in one turn, so that other commands do not wait.
    private static let lookedAtInTurn = 1_000

    var watchers = Watchers()
    /// Pulls not answered yet.
    private var pulls: [(token: WatchToken, reply: @Sendable (WatchUpdate?) -> Void)] = []
    private var attendees: [WatchToken: @Sendable (Int64) -> Void] = [:]
    private var runners: [WatchToken: @Sendable (TaskAssignments) -> Void] = [:]
    private var settling: [@Sendable () -> Void] = []

    /// Whether no process listens.
    var isEmpty: Bool {
        watchers.isEmpty && attendees.isEmpty && runners.isEmpty && pulls.isEmpty && settling.isEmpty
    }

    /// Whether a pull is not answered yet.
    var isAsking: Bool { !pulls.isEmpty }

    mutating func watch(
        _ token: WatchToken, _ selection: TransferSelection, _ detail: WatchDetail, _ observer: WatchObserver,
        _ view: WatchView
    ) throws(TransferFailure) {
        var left = 0
        if case .ids(let ids) = selection { left = try view.countUnended(ids) }
        watchers.add(token, selection, detail, left: left, observer)
    }

    /// Removes the pulls from the inputs. They are answered after the turn, even if its commit fails.
    mutating func takePulls(from inputs: [LoopInput]) -> [LoopInput] {
        guard inputs.contains(where: \.isPull) else { return inputs }
        return inputs.filter { input in
            guard case .pull(let token, let reply) = input else { return true }
            pulls.append((token, reply))
            return false
        }
    }

    /// Adds an app that observes the number of the newest event.
    mutating func attach(_ token: WatchToken, _ observer: @escaping @Sendable (Int64) -> Void) {
        attendees[token] = observer
    }

    /// Adds a process with handlers that observes which runs it owns.
    mutating func addRunner(_ token: WatchToken, _ observer: @escaping @Sendable (TaskAssignments) -> Void) {
        runners[token] = observer
    }

    /// Calls back when no step is still being stopped.
    mutating func waitUntilSettled(_ reply: @escaping @Sendable () -> Void) {
        settling.append(reply)
    }

    /// Removes a listener.
    mutating func remove(_ token: WatchToken) {
        watchers.remove(token)
        attendees[token] = nil
        runners[token] = nil
    }

    func reportNewestEvent(_ number: Int64) {
        for observer in attendees.values { observer(number) }
    }

    func sendAssignments(_ token: WatchToken, _ assignments: TaskAssignments) { runners[token]?(assignments) }

    /// Calls back the waiting callers unless `isStopping` returns that a step is still being stopped.
    mutating func reportSettled(unless isStopping: () -> Bool = { false }) {
        guard !settling.isEmpty, !isStopping() else { return }
        let waiting = settling
        settling = []
        for reply in waiting { reply() }
    }

    /// Sends the watchers their updates: pages of lists, then changes.
    mutating func deliverUpdates(at now: WallTime, _ view: WatchView) {
        guard !watchers.isEmpty || isAsking else { return }
        updateLists(view)
        watchers.deliverUpdates(at: now, view)
        answerPulls(view)
    }

    /// Answers all pulls with `nil`. An unanswered watcher would wait forever.
    mutating func refusePulls() {
        let refused = pulls
        pulls = []
        for (_, reply) in refused { reply(nil) }
    }

    /// Inputs that register the same listeners with another loop, with the runners present.
    func inputs(_ present: [(token: WatchToken, runner: TaskRunner)]) -> [LoopInput] {
        var inputs = watchers.inputs
        for (token, observer) in attendees.sorted(by: { $0.key.number < $1.key.number }) {
            inputs.append(.attach(token, observer: observer))
        }
        for (token, runner) in present {
            if let observer = runners[token] { inputs.append(.addRunner(token, runner, observer: observer)) }
        }
        return inputs + settling.map { .whenSettled(reply: $0) }
    }

    /// Sends the whole list to watchers that do not pull. A page that cannot be read now is sent later.
    private mutating func updateLists(_ view: WatchView) {
        for token in watchers.unlisted {
            guard case .each(let observer) = watchers[token]?.observer else { continue }
            while let page = try? nextPage(for: token, limit: Self.pushedPage, view) { observer(page) }
        }
    }

    private mutating func answerPulls(_ view: WatchView) {
        guard isAsking else { return }
        let asked = pulls
        pulls = []
        let enough = watchers.copies.made + Self.lookedAtInTurn
        for (token, reply) in asked {
            guard watchers.copies.made < enough else {
                pulls.append((token, reply))
                continue
            }
            watchers.recordQuery(token)
            let limit = watchers[token]?.detail.isBrief ?? false ? Self.briefPage : Self.pulledPage
            let update =
                watchers[token]?.listing != nil
                ? try? nextPage(for: token, limit: limit, view)
                : watchers.news(for: token, limit: limit, view)
            reply(update)
            guard watchers.hasNews(token) else { continue }
            // An update that cannot be read now is sent later.
            if update == nil { watchers.tickSoon() } else { watchers.signal(token) }
        }
    }

    /// Returns the next page of the transfers selected when the watch began; `nil` after the last one.
    private mutating func nextPage(
        for token: WatchToken, limit: Int, _ view: WatchView
    ) throws(TransferFailure) -> WatchUpdate? {
        guard let watcher = watchers[token], let listing = watcher.listing else { return nil }
        let (update, next) = try watchers.copies.page(
            of: watcher, listing, newest: watchers.log.newest, limit: limit
        ) { () throws(TransferFailure) in
            try listing.page(of: watcher.selection, watcher.detail, limit: limit, view)
        }
        watchers.advance(token, to: next)
        return update
    }
}
