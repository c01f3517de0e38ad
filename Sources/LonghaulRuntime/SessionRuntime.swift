import CLinux
import Glibc
package import LonghaulCore
import Synchronization

/// What a session's loop takes from the world.
package struct RuntimeEnvironment: Sendable {
    package var now: @Sendable () -> WallTime
    package var random: @Sendable () -> UInt64
    package var bootID: String
    package var makeEngine: @Sendable (@escaping EngineSink) throws(TransferFailure) -> any Engine

    package init(
        now: @escaping @Sendable () -> WallTime, random: @escaping @Sendable () -> UInt64, bootID: String,
        makeEngine: @escaping @Sendable (@escaping EngineSink) throws(TransferFailure) -> any Engine
    ) {
        self.now = now
        self.random = random
        self.bootID = bootID
        self.makeEngine = makeEngine
    }
}

package typealias EngineSink = @Sendable ([(Ticket, EngineEvent)]) -> Void

package struct WatchToken: Hashable, Sendable {
    let number: UInt64
}

package struct SessionActivity: Equatable, Sendable {
    package var totals: SessionTotals
    package var hasLiveWork: Bool

    package init(totals: SessionTotals, hasLiveWork: Bool) {
        self.totals = totals
        self.hasLiveWork = hasLiveWork
    }
}

/// Keeps transfers in memory and moves nothing: enough for the service to be built and tried.
package final class SessionRuntime: Sendable {
    private struct State {
        var transfers: [TransferSnapshot] = []
        var watches: [UInt64: (TransferSelection, @Sendable (WatchUpdate) -> Void)] = [:]
        var limits = SessionLimits()
        var last: UInt64 = 0
        var lock: Int32
    }

    private let state: Mutex<State>
    private let environment: RuntimeEnvironment

    package static func open(
        layout: SessionLayout, environment: RuntimeEnvironment
    ) throws(TransferFailure) -> SessionRuntime {
        mkdir(layout.directory, 0o700)
        let lock = Glibc.open(layout.lock, O_RDWR | O_CREAT | O_CLOEXEC, 0o600)
        guard lock >= 0, longhaul_lock_exclusive(lock) == 0 else {
            close(lock)
            throw TransferFailure(.sessionInUse, "The session is run by another process. Close that one first.")
        }
        let store = Glibc.open(layout.store, O_RDWR | O_CLOEXEC)
        if store >= 0 {
            close(store)
            close(lock)
            let aside = layout.store + ".damaged"
            rename(layout.store, aside)
            throw TransferFailure(.storeDamaged, "The session's store is damaged. It was set aside as \(aside).")
        }
        return SessionRuntime(lock: lock, environment: environment)
    }

    private init(lock: Int32, environment: RuntimeEnvironment) {
        state = Mutex(State(lock: lock))
        self.environment = environment
    }

    package func send(_ command: SessionCommand, reply: @escaping @Sendable (SessionReply) -> Void) {
        switch command {
        case .submit(let specs): reply(.submitted(specs.map { .accepted(add($0)) }))
        case .control(let verb, let selection): reply(.controlled(control(verb, selection)))
        case .list(let query): reply(.page(list(query)))
        case .show(let id): reply(show(id))
        case .history: reply(.history([]))
        case .setLimits(let limits):
            state.withLock { $0.limits = limits }
            reply(.limits(limits))
        case .limits: reply(.limits(state.withLock { $0.limits }))
        }
    }

    package func watch(
        _ selection: TransferSelection, observer: @escaping @Sendable (WatchUpdate) -> Void
    ) -> WatchToken {
        let (token, present) = state.withLock { state in
            state.last += 1
            state.watches[state.last] = (selection, observer)
            return (WatchToken(number: state.last), state.transfers.filter { Self.matches($0, selection) })
        }
        observer(WatchUpdate(changed: present, removed: []))
        return token
    }

    package func unwatch(_ token: WatchToken) {
        state.withLock { $0.watches[token.number] = nil }
    }

    package var activity: SessionActivity {
        let totals = state.withLock { Self.totals($0.transfers) }
        return SessionActivity(totals: totals, hasLiveWork: totals.waiting + totals.running > 0)
    }

    package func stop() {
        state.withLock { _ = close($0.lock) }
    }

    private func add(_ spec: TransferSpec) -> TransferID {
        let now = environment.now()
        let id = TransferID(now: now, random: (environment.random(), environment.random()))
        let waiting = Waiting(.notBefore, since: now, until: spec.options.earliestBeginDate)
        let snapshot = state.withLock { state in
            let snapshot = TransferSnapshot(
                id: id, sequence: Int64(state.transfers.count + 1), key: spec.options.key, group: spec.options.group,
                direction: .download, method: spec.method, url: spec.url, name: "", path: nil, state: .waiting(waiting),
                turnLimit: nil, priority: 0, bytesDone: 0, bytesTotal: nil, rate: 0, attempts: 0, createdAt: now,
                startedAt: nil, endedAt: nil, status: nil)
            state.transfers.append(snapshot)
            return snapshot
        }
        tell([snapshot])
        return id
    }

    private func control(_ verb: ControlVerb, _ selection: TransferSelection) -> ControlAnswer {
        let now = environment.now()
        let changed = state.withLock { state in
            var changed: [TransferSnapshot] = []
            for index in state.transfers.indices where Self.matches(state.transfers[index], selection) {
                switch verb {
                case .pause: state.transfers[index].state = .paused
                case .cancel: state.transfers[index].state = .cancelled
                case .resume, .retry: state.transfers[index].state = .waiting(Waiting(.turn, since: now))
                case .remove: continue
                }
                changed.append(state.transfers[index])
            }
            return changed
        }
        tell(changed)
        return ControlAnswer(changed: changed.count)
    }

    private func list(_ query: ListQuery) -> ListPage {
        state.withLock { state in
            let all = state.transfers.filter { Self.matches($0, query.selection) && $0.sequence > query.afterSequence }
            return ListPage(
                transfers: Array(all.prefix(query.limit)), hasMore: all.count > query.limit,
                totals: Self.totals(state.transfers))
        }
    }

    private func show(_ id: TransferID) -> SessionReply {
        guard let snapshot = state.withLock({ $0.transfers.first { $0.id == id } }) else {
            return .failed(TransferFailure(.unknownTransfer, "There is no transfer \(id)."))
        }
        return .detail(TransferDetail(snapshot: snapshot, headers: [], response: nil, lastFailure: nil, restarts: 0))
    }

    private func tell(_ changed: [TransferSnapshot]) {
        for (selection, observer) in state.withLock({ Array($0.watches.values) }) {
            let selected = changed.filter { Self.matches($0, selection) }
            if !selected.isEmpty { observer(WatchUpdate(changed: selected, removed: [])) }
        }
    }

    private static func matches(_ snapshot: TransferSnapshot, _ selection: TransferSelection) -> Bool {
        switch selection {
        case .ids(let ids): ids.contains(snapshot.id)
        case .group(let group): snapshot.group == group
        case .all: true
        }
    }

    private static func totals(_ transfers: [TransferSnapshot]) -> SessionTotals {
        transfers.reduce(into: SessionTotals()) { totals, transfer in
            switch transfer.state {
            case .waiting: totals.waiting += 1
            case .running, .awaitingResponse: totals.running += 1
            case .paused: totals.paused += 1
            case .succeeded: totals.succeeded += 1
            case .failed: totals.failed += 1
            case .cancelled: totals.cancelled += 1
            }
        }
    }
}
