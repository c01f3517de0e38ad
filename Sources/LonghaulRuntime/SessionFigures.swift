import LonghaulCore
import LonghaulStore

/// Counts and snapshots of a session, for watchers, clients, and the process.
extension SessionState {
    /// Returns a record as clients see it.
    func snapshot(of record: TransferRecord) -> TransferSnapshot { turns.snapshot(of: record, counters) }

    /// Transfers in each state, including changes that are not on the disk yet.
    var totals: SessionTotals {
        var totals = store.totals()
        totals.waiting -= behind.begun
        totals.running += behind.begun
        return totals
    }

    /// The session's outstanding work, from the store's counters.
    var activity: SessionActivity {
        let totals = totals
        let hasLiveWork = totals.waiting + totals.running > 0 || session.hasWorkAhead(at: environment.now())
        return SessionActivity(totals: totals, hasLiveWork: hasLiveWork, isIdle: !hasLiveWork && isIdle)
    }

    /// When the session must be open again without a request: a deadline of a paused transfer, or a background task.
    var restsUntil: WallTime? {
        [turns.nextDate(), session.nextDate(at: now), session.nextWake(at: now), session.notifications.nextDate]
            .compactMap { $0 }.min()
    }

    /// Whether nothing is due soon, no process listens, and closing would lose nothing that is only in memory.
    private var isIdle: Bool {
        guard audience.isEmpty, credentials.providerCount == 0, !session.holdsMemory, !turns.queue.hasHolds,
            turns.live.isEmpty, turns.tidying.isEmpty, runs.isEmpty, backlog.isEmpty, behind.dueAt == nil,
            deletions.dueAt == nil, flows.traffic.measuredAt == nil
        else { return false }
        return restsUntil.map { $0 - now > SessionRest.leastTime } ?? true
    }

    /// Transfers as they are in memory.
    var remembered: [StoredTransfer] {
        let underWay = (Array(turns.live.values) + Array(turns.tidying.values)).map {
            StoredTransfer(record: $0.record, host: $0.host)
        }
        return underWay + turns.submissionCache.all
    }

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

    /// Called after each turn.
    func updateAudience() {
        recordHolds()
        audience.deliverUpdates(at: now, view)
    }

    /// When a host's hold (Retry-After) begins, changes, or ends, the transfers that wait for the host wait for another reason than
    /// was shown.
    private func recordHolds() {
        for host in turns.queue.takeChangedHolds() where !audience.watchers.isEmpty {
            showAgain(turns.shown(with: host, watchedAlone: audience.watchers.watchedAlone))
        }
    }

    /// Shows what transfers wait for that cannot continue because the store cannot be written; `nil` when it can be again.
    func show(_ refusal: Waiting?) {
        let isNews = turns.refusal?.failure != refusal?.failure
        turns.refusal = refusal
        if isNews { showAgain(Set(turns.live.keys).union(audience.watchers.watchedAlone)) }
    }

    /// Sends transfers to the watchers whose state is shown differently, although their records have not changed.
    private func showAgain(_ ids: Set<TransferID>) {
        for id in audience.watchers.isEmpty ? [] : ids {
            // If the store cannot be read now, the next query reports it.
            guard let record = (try? transfer(id))??.record, !record.state.isEnded else { continue }
            audience.watchers.record(id, record, group: record.spec.options.groupName, wasLive: true)
        }
    }
}
