import LonghaulCore
import LonghaulStore
import Synchronization
import TestSupport
import Testing

@testable import LonghaulRuntime

/// A session's loop whose turns the test runs, over a scripted engine and a manual clock.
final class LoopWorld {
    static let pin = SourcePin(size: 1_000, modified: 1, inode: 2, device: 3)

    let time: ManualTime
    let engine = ScriptedEngine()
    private(set) var loop: SessionLoop
    private let temporary: TemporaryDirectory
    private let arrived = Arrived()

    /// Opens a session; with the directory of an earlier world, its session. `wake` replaces the launcher of apps, and
    /// `notify` the notification server; `change` changes the default environment.
    init(
        in temporary: TemporaryDirectory? = nil, at time: ManualTime = ManualTime(),
        survives: (@Sendable (LoopPoint) -> Bool)? = nil, wake: ((WakeOrder) -> Void)? = nil,
        notify: ((NotificationOrder) -> Void)? = nil, surroundings: Surroundings = Surroundings(),
        ledger: BudgetLedger? = nil, change: (inout RuntimeEnvironment) -> Void = { _ in }
    ) throws {
        let temporary = try temporary ?? TemporaryDirectory()
        self.temporary = temporary
        self.time = time
        loop = try Self.open(SessionLayout(directory: temporary.path + "/session"), time, engine, survives) {
            environment in
            environment.surroundings = { surroundings }
            environment.userLedger = ledger
            change(&environment)
        }
        loop.outlets.startWake = wake
        loop.outlets.startNotification = notify
        engine.setSink { [arrived] ticket, event in arrived.add(.engine(ticket, event)) }
        loop.outlets.post = { [arrived] in arrived.add($0) }
        try loop.recover()
    }

    private static func open(
        _ layout: SessionLayout, _ time: ManualTime, _ engine: ScriptedEngine,
        _ survives: (@Sendable (LoopPoint) -> Bool)?, _ change: (inout RuntimeEnvironment) -> Void
    ) throws -> SessionLoop {
        let chance = Mutex(SeededChance(seed: 5))
        var environment = RuntimeEnvironment(
            now: { time.now }, random: { chance.withLock { $0.next() } }, bootID: "boot", survives: survives,
            makeEngine: { _, _ in engine.whole })
        change(&environment)
        let loop = try SessionLoop(
            directory: try SessionDirectory(layout), store: try Store(path: layout.store), environment: environment)
        loop.state.engine = engine.whole
        return loop
    }

    /// Runs one turn with the engine's events, then these inputs.
    func turn(_ inputs: [LoopInput] = []) {
        loop.turn(arrived.takeInputs() + inputs)
    }

    /// Runs one turn that continues while the engine has more events.
    func joinedTurn() {
        loop.turn(arrived.takeInputs()) { [arrived] _, _ in arrived.takeInputs() }
    }

    /// Runs a turn with the engine's events and these inputs. Returns whether each poll for more inputs was told to wait.
    func looksForMore(_ inputs: [LoopInput] = []) -> [Bool] {
        var waits: [Bool] = []
        loop.turn(arrived.takeInputs() + inputs) { _, mayWait in
            waits.append(mayWait)
            return []
        }
        return waits
    }

    /// Runs a turn with this command; `nil` if it produced no answer.
    func send(_ command: SessionCommand) -> SessionReply? {
        let answer = Kept<SessionReply>()
        turn([.command(command) { reply in answer.keep(reply) }])
        return answer.all.last
    }

    @discardableResult
    func control(_ verb: ControlVerb, _ id: TransferID) -> SessionReply? { send(.control(verb, .ids([id]))) }

    func submit(_ spec: TransferSpec) throws -> SubmissionAnswer {
        guard case .submitted(let answers)? = send(.submit([spec])) else { throw TransferFailure(.internalFault, "no") }
        return answers[0]
    }

    func accept(_ spec: TransferSpec) throws -> TransferID {
        guard case .accepted(let id) = try submit(spec) else { throw TransferFailure(.internalFault, "not accepted") }
        return id
    }

    func record(_ id: TransferID) throws -> TransferRecord { try #require(try loop.state.transfer(id)?.record) }
    func state(_ id: TransferID) throws -> TransferState { try record(id).state }
    /// Returns the transfer as clients see it.
    func shown(_ id: TransferID) throws -> TransferSnapshot {
        guard case .detail(let detail)? = send(.show(id)) else { throw TransferFailure(.internalFault, "not shown") }
        return detail.snapshot
    }

    /// Advances the clock in steps, with a turn after each.
    func pass(_ span: Duration, steps: Int = 1) {
        for _ in 0..<steps {
            time.advance(by: Duration(microseconds: span.microseconds / Int64(steps)))
            turn()
        }
    }

    /// Sends an event of the only running job, and runs a turn.
    func answer(_ event: EngineEvent) throws {
        engine.emit(try #require(engine.runningJobs.last).ticket, event)
        turn()
    }

    var runningURLs: [String] {
        engine.runningJobs.compactMap { if case .exchange(let plan) = $0.work { plan.url } else { nil } }
    }

    static func request(
        _ url: String = "http://a.test/", _ change: (inout TransferSpec) -> Void = { _ in }
    ) -> TransferSpec {
        var spec = TransferSpec(work: .request(body: []), method: "GET", url: url)
        change(&spec)
        return spec
    }

    static func download(_ change: (inout TransferSpec) -> Void = { _ in }) -> TransferSpec {
        var spec = TransferSpec(
            work: .download(DownloadSpec(directory: "/out", fileName: "a")), method: "GET", url: "http://a.test/a")
        change(&spec)
        return spec
    }
}

/// The engine's events since the last turn.
private final class Arrived: Sendable {
    private let inputs = Mutex<[LoopInput]>([])
    func add(_ input: LoopInput) { inputs.withLock { $0.append(input) } }
    func takeInputs() -> [LoopInput] {
        inputs.withLock { inputs in
            defer { inputs = [] }
            return inputs
        }
    }
}

/// Values that closures on any thread collect for the test.
final class Kept<Value: Sendable>: Sendable {
    private let values = Mutex<[Value]>([])
    func keep(_ value: Value) { values.withLock { $0.append(value) } }
    var all: [Value] { values.withLock { $0 } }
}

extension EngineEvent {
    static func responded(_ status: Int, _ headers: [HeaderField] = [], body: [UInt8] = []) -> EngineEvent {
        .exchangeEnded(
            ExchangeOutcome(
                ending: .responded,
                head: ResponseHead(status: status, headers: headers, effectiveURL: "http://a.test/"),
                body: body))
    }

    static func broke(_ code: FailureCode) -> EngineEvent {
        .exchangeEnded(ExchangeOutcome(ending: .broke(TransferFailure(code, "It broke."))))
    }
}
