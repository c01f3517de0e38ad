import LonghaulCore
import LonghaulStore

@testable import LonghaulRuntime

/// The state of a loop as one value: its memory, and what it would read from the disk.
struct LoopMemory {
    private struct Known: Equatable {
        var transfer: LiveTransfer?
        var stored: TransferRecord?
        var lag: TransferRecord?
        var isUnderWay: Bool
        var isTidying: Bool
        var isWaiting: Bool
        var isRunning: Bool
        var holdEnd: WallTime?
    }

    private var transfers: [TransferID: Known] = [:]
    private let session: SessionMachine
    private let flows: [Ticket: TransferID]
    private let jobs: Set<Ticket>
    private let limits: SessionLimits
    private let totals: SessionTotals
    private let recordCount: Int
    private let ledger: BudgetUsage

    init(_ loop: SessionLoop, _ ids: some Sequence<TransferID>) throws {
        session = loop.state.session
        flows = loop.state.flows.traffic.flows.mapValues(\.id)
        jobs = Set(loop.jobs.tickets)
        limits = loop.state.turns.queue.limits
        totals = loop.state.store.totals()
        recordCount = try loop.state.store.ids(.all, ended: nil).count
        ledger = loop.state.flows.budgets.own.usage(at: loop.state.now, in: loop.state.environment.zone)
        for id in ids {
            transfers[id] = Known(
                transfer: try loop.state.transfer(id), stored: try loop.state.store.record(id),
                lag: loop.state.behind[id]?.record,
                isUnderWay: loop.state.turns.live[id] != nil, isTidying: loop.state.turns.tidying[id] != nil,
                isWaiting: loop.state.turns.queue.isWaiting(id), isRunning: loop.state.turns.queue.isRunning(id),
                holdEnd: loop.state.turns.queue.holdEnd(of: id))
        }
    }

    /// Returns the changes of a turn that was not committed. Attempts may have started before the commit, and continue:
    /// their records lag behind the disk, which is unchanged.
    func differences(from before: LoopMemory) -> [String] {
        var words: [String] = []
        var begun: Set<TransferID> = []
        for (id, now) in transfers {
            guard let then = before.transfers[id], now != then else { continue }
            if then.isWaiting, now.isRunning, now.lag != nil, now.stored == then.stored {
                begun.insert(id)
            } else {
                words.append("\(id) was \(then) and is \(now)")
            }
        }
        if session.withoutReview != before.session.withoutReview { words.append("the session's machine") }
        if flows.filter({ !begun.contains($0.value) }) != before.flows { words.append("the flows") }
        if !jobs.isSuperset(of: before.jobs) || jobs.count > before.jobs.count + begun.count {
            words.append("the jobs")
        }
        if limits != before.limits { words.append("the limits") }
        if totals != before.totals || recordCount != before.recordCount { words.append("the disk") }
        if ledger != before.ledger { words.append("the ledger") }
        return words
    }
}

extension SessionMachine {
    /// Without the time of the next condition check, which depends on the started attempts.
    fileprivate var withoutReview: SessionMachine {
        var machine = self
        machine.conditions.planReview(of: [], at: WallTime(seconds: 0), in: .utc)
        return machine
    }
}
