import LonghaulCore
import LonghaulRuntime
import LonghaulSystem
import Synchronization

/// Knows what is around all sessions, and divides the common rate among those that move bytes.
final class TrafficBoard: Sendable {
    private struct State {
        var base: Surroundings
        var demands: [SessionID: RateDemand] = [:]
        var shares: [SessionID: Int64] = [:]
        var tell: @Sendable (SessionID, Surroundings) -> Void = { _, _ in }
    }

    private let state: Mutex<State>
    /// A session hears the latest last, whichever thread it is that tells.
    private let telling = Mutex(())
    private let room = TransferRoom.process

    init(_ base: Surroundings) {
        state = Mutex(State(base: base))
        room.limit(to: base.traffic.transfers)
    }

    /// Lets sessions ask and report.
    func connect(_ environment: inout RuntimeEnvironment, ledger: BudgetLedger) {
        environment.userLedger = ledger
        environment.surroundings = { [self] in state.withLock(\.base) }
        environment.reportDemand = { [self] id, demand in note(demand, of: id) }
    }

    /// How a session is told; before any is opened.
    func setTell(_ tell: @escaping @Sendable (SessionID, Surroundings) -> Void) {
        state.withLock { $0.tell = tell }
    }

    /// Everything but the shares has changed, or may have.
    func set(_ base: Surroundings) {
        room.limit(to: base.traffic.transfers)
        tell { state in
            state.base = base
            _ = Self.divide(&state)
            return Array(state.demands.keys)
        }
    }

    func surroundings(for id: SessionID) -> Surroundings {
        state.withLock { state in
            // From now on it is told of changes.
            if state.demands[id] == nil { state.demands[id] = RateDemand(flows: 0) }
            return Self.surroundings(for: id, state)
        }
    }

    /// What has changed since it was asked for could not be told to it as long as it was not open.
    func noteOpen(_ id: SessionID) { tell { _ in [id] } }

    private func note(_ demand: RateDemand, of id: SessionID) {
        // The usual case, after every turn of a loop: nobody waits for another's telling.
        let isPlain = state.withLock { state in
            state.demands[id] = demand
            return Self.isUndivided(state, Self.total(state))
        }
        if !isPlain { tell { Self.divide(&$0) } }
    }

    private func tell(_ change: (inout State) -> [SessionID]) {
        telling.withLock { _ in
            let (tell, news) = state.withLock { state in
                let changed = change(&state)
                return (state.tell, changed.map { ($0, Self.surroundings(for: $0, state)) })
            }
            for (id, surroundings) in news { tell(id, surroundings) }
        }
    }

    private static func total(_ state: State) -> Int64? {
        state.base.traffic.rate(at: SystemClock.wallTime(), in: SystemClock.zone)
    }

    private static func isUndivided(_ state: State, _ total: Int64?) -> Bool { state.shares.isEmpty && total == nil }

    /// Divides the rate anew, and says whose share has changed by enough to be told.
    private static func divide(_ state: inout State) -> [SessionID] {
        let total = total(state)
        if isUndivided(state, total) { return [] }
        let ids = state.demands.keys.sorted { $0.description < $1.description }
        let claims = ids.map { id in
            (state.demands[id] ?? RateDemand(flows: 0)).claim(had: state.shares[id])
        }
        var changed: [SessionID] = []
        for (id, share) in zip(ids, FairShare.divide(total, among: claims)) {
            // Who moves nothing may begin with everything; the others make room when it does.
            let new = total.map { share ?? $0 }
            let old = state.shares[id]
            let isNoise = old.flatMap { old in new.map { abs($0 - old) <= old / 16 } } ?? (old == new)
            if isNoise { continue }
            state.shares[id] = new
            changed.append(id)
        }
        return changed
    }

    private static func surroundings(for id: SessionID, _ state: State) -> Surroundings {
        var surroundings = state.base
        surroundings.rateShare = state.shares[id]
        return surroundings
    }
}
