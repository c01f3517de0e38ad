import LonghaulCore
import LonghaulStore

/// What clients are shown of the transfers, and how the audience hears of it after each turn.
extension SessionLoop {
    var counters: Counters { Counters(engine: engine, clock: environment.now) }

    /// A record as clients see it.
    func snapshot(of record: TransferRecord) -> TransferSnapshot { turns.snapshot(of: record, counters) }

    var view: WatchView {
        WatchView(
            snapshot: { [self] in snapshot(of: $0) }, running: { [self] in turns.running(counters) },
            record: { [self] id throws(TransferFailure) in try transfer(id)?.record },
            isQueued: { [self] in turns.queue.isWaiting($0) },
            page: { [self] query throws(TransferFailure) in
                let page = try store.page(query)
                return (page.records, page.hasMore)
            })
    }

    func tellAudience() {
        guard !isDead else { return }
        noteHolds()
        audience.tell(at: now, view)
    }

    /// When a host's request to be left alone begins, changes or ends, the transfers that wait for that host wait for another
    /// reason than was shown.
    private func noteHolds() {
        for host in turns.queue.takeChangedHolds() where !audience.watchers.isEmpty {
            for id in turns.shown(with: host, watchedAlone: audience.watchers.watchedAlone) {
                // A store that cannot be read now is told of by whoever asks it for something.
                guard let record = (try? transfer(id))??.record else { continue }
                audience.watchers.note(id, record, group: record.spec.options.group, wasLive: true)
            }
        }
    }

    /// Ends a watch, somebody's attendance, or the running of tasks.
    func unwatch(_ token: WatchToken) throws(TransferFailure) {
        audience.leave(token)
        try feed(.detached(token))
    }
}
