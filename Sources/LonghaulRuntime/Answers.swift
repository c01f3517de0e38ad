import LonghaulCore
import LonghaulStore

/// Answers to queries about a session.
struct Answers {
    /// Events and tasks in one answer.
    private static let eventPage = 256
    private static let taskPage = 1_000

    let state: SessionState

    func list(_ query: ListQuery) throws(TransferFailure) -> ListPage {
        var query = query
        query.limit = max(1, min(query.limit, 1_000))
        let page = try state.store.page(query)
        let rate = query.wantsRate ? state.turns.running(state.counters).reduce(0) { $0 + $1.rate } : 0
        return ListPage(
            transfers: page.records.map(state.snapshot), hasMore: page.hasMore, totals: state.totals, rate: rate)
    }

    func show(_ id: TransferID) throws(TransferFailure) -> SessionReply {
        guard let record = try state.transfer(id)?.record else { return .failed(TransferFailure.unknown(id)) }
        var detail = TransferDetail(record, snapshot: state.snapshot(of: record))
        detail.connections = state.counters.progress(of: state.turns.live[id]?.ticket)?.connections
        return .detail(detail)
    }

    /// Facts about the session as a whole.
    var info: SessionInfo {
        var info = SessionInfo()
        let ownership = state.session.ownership
        (info.owner, info.ownerLossPolicy, info.ownerLoss) = (ownership.owner, ownership.policy, ownership.loss)
        info.lastWills = state.session.lastWills.wills.count
        return info
    }

    func credentials() throws(TransferFailure) -> CredentialReport {
        CredentialReport(
            helper: try state.store.credentialHelper(), providers: state.credentials.providerCount,
            waiting: try state.store.ids(waitingFor: .credentials).count, entries: state.session.credentials.entries)
    }

    var rules: SessionRulesReport {
        SessionRulesReport(
            rules: state.session.conditions.rules,
            usage: state.flows.budgets.own.usage(
                of: state.session.conditions.rules.traffic.budget, at: state.now, in: state.environment.zone))
    }

    func events(after number: Int64) throws(TransferFailure) -> EventPage {
        let records = try state.store.events(after: number, limit: Self.eventPage + 1)
        var page = EventPage(hasMore: records.count > Self.eventPage)
        for record in records.prefix(Self.eventPage) {
            if let kind = try kind(of: record) {
                page.events.append(SessionEvent(number: record.number, at: record.at, kind: kind))
            }
        }
        return page
    }

    func wake() throws(TransferFailure) -> WakeStatus {
        state.session.wakeStatus(pendingEvents: try state.store.eventCount(), at: state.now)
    }

    func tasks(after identifier: String?) throws(TransferFailure) -> TaskPage {
        let records = try state.store.tasks(after: identifier, limit: Self.taskPage + 1)
        return state.session.taskPage(
            records.prefix(Self.taskPage), hasMore: records.count > Self.taskPage, at: state.now)
    }

    /// Returns `nil` for an event of a missing transfer. That does not happen: deleting a transfer deletes its events.
    private func kind(of record: EventRecord) throws(TransferFailure) -> SessionEvent.Kind? {
        switch record.kind {
        case .allTransfersFinished: return .allTransfersFinished
        case .notificationTapped: return record.tap.map(SessionEvent.Kind.notificationTapped)
        case .transferFinished, .needsCredentials:
            guard let id = record.transfer, let transfer = try state.transfer(id)?.record else { return nil }
            let now = state.snapshot(of: transfer)
            return record.kind == .transferFinished ? .transferFinished(now) : .needsCredentials(now)
        }
    }
}

extension TransferFailure {
    static func unknown(_ id: TransferID) -> TransferFailure {
        TransferFailure(
            .unknownTransfer, "There is no transfer \(id) in this session.")
    }
}
