import LonghaulCore
import LonghaulRuntime
import LonghaulSystem
import Synchronization

/// Stores the surroundings for all sessions, and divides the common rate among those that transfer bytes.
final class TrafficShaper: Sendable {
    private struct State {
        var base: Surroundings
        var demands: [SessionID: RateDemand] = [:]
        var shares: [SessionID: Int64] = [:]
        var tell: @Sendable (SessionID, Surroundings) -> Void = { _, _ in }
    }

    private let state: Mutex<State>
    /// Ensures that each session receives the latest surroundings last, whichever thread sends them.
    private let telling = Mutex(())
    private let room = TransferSlots.process

    init(_ base: Surroundings) {
        state = Mutex(State(base: base))
        room.limit(to: base.traffic.transfers)
    }

    /// Connects the environment of sessions to this value.
    func connect(_ environment: inout RuntimeEnvironment, ledger: BudgetLedger) {
        environment.userLedger = ledger
        environment.surroundings = { [self] in state.withLock(\.base) }
        environment.reportDemand = { [self] id, demand in setDemand(demand, of: id) }
    }

    /// Sets how surroundings are sent to a session, before any is opened.
    func setTell(_ tell: @escaping @Sendable (SessionID, Surroundings) -> Void) {
        state.withLock { $0.tell = tell }
    }

    /// Sets the surroundings, except the shares.
    func set(_ base: Surroundings) {
        room.limit(to: base.traffic.transfers)
        notify { state in
            state.base = base
            _ = Self.divide(&state)
            return Array(state.demands.keys)
        }
    }

    func surroundings(for id: SessionID) -> Surroundings {
        state.withLock { state in
            // From now on the session receives changes.
            if state.demands[id] == nil { state.demands[id] = RateDemand(flows: 0) }
            return Self.surroundings(for: id, state)
        }
    }

    /// Sends the surroundings again, because changes could not be sent to the session before it was open.
    func recordOpen(_ id: SessionID) { notify { _ in [id] } }

    private func setDemand(_ demand: RateDemand, of id: SessionID) {
        // The usual case, after every turn of a loop, needs no lock for sending.
        let isPlain = state.withLock { state in
            state.demands[id] = demand
            return Self.isUndivided(state, Self.total(state))
        }
        if !isPlain { notify { Self.divide(&$0) } }
    }

    private func notify(_ change: (inout State) -> [SessionID]) {
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

    /// Divides the rate again. Returns the sessions whose share has changed enough to be reported.
    private static func divide(_ state: inout State) -> [SessionID] {
        let total = total(state)
        if isUndivided(state, total) { return [] }
        let ids = state.demands.keys.sorted { $0.description < $1.description }
        let claims = ids.map { id in
            (state.demands[id] ?? RateDemand(flows: 0)).claim(had: state.shares[id])
        }
        var changed: [SessionID] = []
        for (id, share) in zip(ids, FairShare.divide(total, among: claims)) {
            // An idle session may begin with the whole rate; the others reduce theirs when it does.
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
