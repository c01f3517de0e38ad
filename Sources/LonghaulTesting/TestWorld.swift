public import Longhaul
public import LonghaulCore
import LonghaulRuntime
import LonghaulSystem
import Synchronization

/// The surroundings of one test's sessions: a clock that only the test moves, servers that it scripts, and a network and power
/// supply that it sets. Otherwise the sessions are real, with a queue and files on disk.
///
/// ```swift
/// let world = try TestWorld()
/// world.server.answer("https://example.org/film.mp4", with: .status(503), .file(film))
/// let session = try await world.open("org.example.films")
/// let download = try await session.download(from: "https://example.org/film.mp4", to: world.directory)
/// await world.settle()
/// #expect(try await download.snapshot().lastFailure?.code == .serverBusy)
/// await world.advance(by: .seconds(600))
/// #expect(try await download.snapshot().state == .succeeded)
/// ```
///
/// ``settle()`` waits until the sessions have processed the calls so far, and ``advance(by:)`` lets time pass. The time
/// limits of background handlers and of process termination are in real time. To launch the app again, close its session
/// and open it again.
public final class TestWorld: Sendable {
    fileprivate struct State {
        var now: WallTime
        var conditions = Conditions(network: .reachable, isExpensive: false, hasExternalPower: true)
        /// The open sessions, with the time for which each waits.
        var sessions: [ObjectIdentifier: (runtime: SessionRuntime, alarm: WallTime?)] = [:]
    }

    /// The servers of every URL.
    public let server = TestServer()
    /// A directory for the app's files, initially empty. It is deleted with the world.
    public let directory: String

    private let home: String
    private let board = EngineMonitor()
    private let shared: Shared

    /// Creates a world whose clock starts at `date` (default: 2026-01-01 00:00 UTC).
    public init(at date: WallTime = WallTime(seconds: 1_767_225_600)) throws(TransferFailure) {
        do throws(SystemError) {
            home = try Directory.makeTemporary(named: "longhaul-testing")
            directory = home + "/files"
            try Directory.make(directory)
        } catch {
            throw TransferFailure(.fileFailed, "There is no place for the files of a test.", error: error)
        }
        shared = Shared(State(now: date))
    }

    deinit { Directory.discard(home) }

    /// Opens a session in this process. The configuration's `execution` is ignored.
    public func open(
        _ identifier: String, configuration: TransferSession.Configuration = TransferSession.Configuration()
    ) async throws(TransferFailure) -> TransferSession {
        var configuration = configuration
        configuration.execution = .inProcess(stateDirectory: home + "/state")
        configuration.environment = [:]
        let seat = SessionToken()
        configuration.world = InProcessWorld(
            environment: environment(seat),
            report: { [shared] in ConditionsReport(measured: shared.state.withLock(\.conditions)) },
            opened: { [shared] runtime in
                shared.state.withLock { $0.sessions[ObjectIdentifier(seat)] = (runtime, nil) }
            },
            closed: { [shared] in shared.state.withLock { $0.sessions[ObjectIdentifier(seat)] = nil } })
        return try await TransferSession.open(identifier, configuration: configuration)
    }

    /// The current time of the world's clock.
    public var now: WallTime { shared.state.withLock(\.now) }

    /// The state of network and power, initially an unmetered network and external power.
    public var conditions: Conditions { shared.state.withLock(\.conditions) }

    /// Sets the state of network and power, and settles. Without a network, running exchanges break. They continue when it returns.
    public func setConditions(_ conditions: Conditions) async {
        let (before, runtimes) = shared.state.withLock { state in
            defer { state.conditions = conditions }
            return (state.conditions, state.sessions.values.map(\.runtime))
        }
        board.setOffline(conditions.network == .none)
        for runtime in runtimes {
            runtime.update(shared.surroundings)
            if before.network == .none, conditions.network != .none { runtime.reportNetworkReturn() }
        }
        await settle()
    }

    /// Moves the clock, runs everything that becomes due, and settles.
    public func advance(by span: Duration) async {
        await settle()
        let (start, end) = (now, now + span)
        // Watchers get progress ten times a second, which is more often than a test needs.
        let least = span / 1_000
        while let alarm = nextAlarm, alarm < end {
            await pass(to: min(end, max(alarm, now + least, start + least)))
        }
        await pass(to: end)
    }

    /// Waits until the sessions wait only for the test, a time, or a condition. It does not wait for the app's own tasks.
    public func settle() async {
        var events: UInt64
        repeat {
            events = board.events
            // Actions that one turn decides are started after the next turn.
            for _ in 0..<2 {
                for runtime in shared.state.withLock({ $0.sessions.values.map(\.runtime) }) {
                    await withCheckedContinuation { continuation in
                        runtime.send(.totals) { _ in continuation.resume() }
                    }
                }
            }
            await board.whenFilesAreDone()
        } while events != board.events
    }

    private var nextAlarm: WallTime? {
        shared.state.withLock { state in state.sessions.values.compactMap(\.alarm).filter { $0 > state.now }.min() }
    }

    private func pass(to date: WallTime) async {
        shared.state.withLock { $0.now = date }
        // Any event wakes a loop.
        for runtime in shared.state.withLock({ $0.sessions.values.map(\.runtime) }) {
            runtime.update(shared.surroundings)
        }
        await settle()
    }

    /// Identifies an open session.
    private final class SessionToken: Sendable {}

    private func environment(_ seat: SessionToken) -> RuntimeEnvironment {
        let chance = Chance()
        let now: @Sendable () -> WallTime = { [shared] in shared.state.withLock(\.now) }
        var environment = RuntimeEnvironment(now: now, random: { chance.draw() }, bootID: "test") {
            [server, board] _, sink throws(TransferFailure) in
            let files = try CountedFiles(board: board, sink: sink)
            return Engine(exchanges: PlayedEngine(server, board: board, now: now, sink: sink), files: files)
        }
        environment.surroundings = { [shared] in shared.surroundings }
        environment.onSystemClock = { [shared] date in
            let isDue = shared.state.withLock { state in
                state.sessions[ObjectIdentifier(seat)]?.alarm = date
                return date <= state.now
            }
            // Jobs that are not due wait until the test moves the clock.
            return isDue ? WallTime(seconds: 0) : SystemClock.wallTime() + .seconds(86_400)
        }
        return environment
    }
}

/// The part of a world that its sessions use. It lives as long as any of them.
private final class Shared: Sendable {
    let state: Mutex<TestWorld.State>

    init(_ state: TestWorld.State) {
        self.state = Mutex(state)
    }

    var surroundings: Surroundings {
        var surroundings = Surroundings()
        surroundings.conditions = state.withLock(\.conditions)
        return surroundings
    }
}
