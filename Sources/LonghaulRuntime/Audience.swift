import LonghaulCore

/// Who listens to a session, and what each has been told: watchers of transfers, apps that are attached, processes with handlers for
/// background tasks, and whoever waits until nothing is being stopped.
///
/// After each turn the loop hands it a view of the transfers, and it tells everybody what is new.
struct Audience {
    /// Transfers in one update for whoever is told all at once.
    private static let pushedPage = 1_000
    /// Transfers in one update for whoever asks, and for whoever asks in brief: successes are short.
    private static let pulledPage = 256
    private static let briefPage = 1_000
    /// About how many transfers are looked at in one turn: other commands must not wait for what somebody watches.
    private static let lookedAtInTurn = 1_000

    var watchers = Watchers()
    /// Watchers that ask, and were not answered yet.
    private var pulls: [(token: WatchToken, reply: @Sendable (WatchUpdate?) -> Void)] = []
    private var attendees: [WatchToken: @Sendable (Int64) -> Void] = [:]
    private var runners: [WatchToken: @Sendable (TaskAssignments) -> Void] = [:]
    private var settling: [@Sendable () -> Void] = []

    /// Whether a watcher has asked and is still to be answered.
    var isAsking: Bool { !pulls.isEmpty }

    mutating func watch(
        _ token: WatchToken, _ selection: TransferSelection, _ detail: WatchDetail, _ observer: WatchObserver,
        _ view: WatchView
    ) throws(TransferFailure) {
        var left = 0
        if case .ids(let ids) = selection { left = try view.countUnended(ids) }
        watchers.add(token, selection, detail, left: left, observer)
    }

    /// Watchers ask for what there is. They are answered after the turn, whatever becomes of that; the other inputs are left.
    mutating func takePulls(from inputs: [LoopInput]) -> [LoopInput] {
        guard inputs.contains(where: \.isPull) else { return inputs }
        return inputs.filter { input in
            guard case .pull(let token, let reply) = input else { return true }
            pulls.append((token, reply))
            return false
        }
    }

    /// An app is there, and wants to know the number of the newest event.
    mutating func attach(_ token: WatchToken, _ observer: @escaping @Sendable (Int64) -> Void) {
        attendees[token] = observer
    }

    /// A process has handlers, and wants to know which runs are its own.
    mutating func addRunner(_ token: WatchToken, _ observer: @escaping @Sendable (TaskAssignments) -> Void) {
        runners[token] = observer
    }

    /// Somebody wants to know when nothing is being stopped any more.
    mutating func waitUntilSettled(_ reply: @escaping @Sendable () -> Void) {
        settling.append(reply)
    }

    /// Somebody listens no more.
    mutating func leave(_ token: WatchToken) {
        watchers.remove(token)
        attendees[token] = nil
        runners[token] = nil
    }

    func tellNewestEvent(_ number: Int64) {
        for observer in attendees.values { observer(number) }
    }

    func tell(_ token: WatchToken, _ assignments: TaskAssignments) { runners[token]?(assignments) }

    /// `isStopping` tells whether a step is still on its way out.
    mutating func tellSettled(unless isStopping: () -> Bool = { false }) {
        guard !settling.isEmpty, !isStopping() else { return }
        let waiting = settling
        settling = []
        for reply in waiting { reply() }
    }

    /// Tells the watchers what is new: lists in portions, then changes.
    mutating func tell(at now: WallTime, _ view: WatchView) {
        guard !watchers.isEmpty || isAsking else { return }
        tellLists(view)
        watchers.tell(at: now, view)
        answerPulls(view)
    }

    /// A watcher that is not told any more would wait for ever.
    mutating func refusePulls() {
        let refused = pulls
        pulls = []
        for (_, reply) in refused { reply(nil) }
    }

    /// What brings everybody to another loop, where these processes have handlers.
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

    /// Tells the whole list to those who are told all at once. What cannot be read now is told later.
    private mutating func tellLists(_ view: WatchView) {
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
            watchers.noteAsked(token)
            let limit = watchers[token]?.detail.isBrief ?? false ? Self.briefPage : Self.pulledPage
            let update =
                watchers[token]?.listing != nil
                ? try? nextPage(for: token, limit: limit, view)
                : watchers.news(for: token, limit: limit, view)
            reply(update)
            guard watchers.hasNews(token) else { continue }
            // What cannot be read now is told later.
            if update == nil { watchers.tickSoon() } else { watchers.signal(token) }
        }
    }

    /// The next portion of what was selected when the watch began; `nil` when all of that has been told.
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
