public import Longhaul
public import LonghaulCore
import LonghaulRuntime
import LonghaulSystem
import Synchronization

/// The world of one test: sessions in it have a clock that only the test moves, servers that answer what the test says, and the
/// conditions that it tells. They are real sessions otherwise, with a queue and files on the disk, so what an app does with them is what
/// it will do.
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
/// Nothing happens by itself: ``settle()`` waits for what follows from the calls so far, and ``advance(by:)`` lets time pass. The time
/// limits of background handlers and of a process's end are real time. An app is launched again by closing its session
/// and opening it once more.
public final class TestWorld: Sendable {
    fileprivate struct State {
        var now: WallTime
        var conditions = Conditions(network: .reachable, isExpensive: .no, hasExternalPower: .yes)
        /// The open sessions, with the date for which each waits.
        var sessions: [ObjectIdentifier: (runtime: SessionRuntime, alarm: WallTime?)] = [:]
    }

    /// All servers.
    public let server = TestServer()
    /// An empty directory for the app's files; it is deleted with the world.
    public let directory: String

    private let home: String
    private let board = PlayBoard()
    private let shared: Shared

    /// Makes a world in which it is this date, 2026-01-01 00:00 UTC unless another is given.
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

    /// Opens a session of this world, run by this process; the configuration's `execution`, `handoff` and `stateDirectory` do not
    /// count.
    public func open(
        _ identifier: String, configuration: TransferSession.Configuration = TransferSession.Configuration()
    ) async throws(TransferFailure) -> TransferSession {
        var configuration = configuration
        configuration.execution = .inProcess
        configuration.handoff = nil
        configuration.stateDirectory = home + "/state"
        configuration.environment = [:]
        let seat = Seat()
        configuration.world = InProcessWorld(
            environment: environment(seat), conditions: { [shared] in shared.state.withLock(\.conditions) },
            opened: { [shared] runtime in
                shared.state.withLock { $0.sessions[ObjectIdentifier(seat)] = (runtime, nil) }
            },
            closed: { [shared] in shared.state.withLock { $0.sessions[ObjectIdentifier(seat)] = nil } })
        return try await TransferSession.open(identifier, configuration: configuration)
    }

    /// What the clock shows.
    public var now: WallTime { shared.state.withLock(\.now) }

    /// What is around the machine; at first a network that costs nothing, and external power.
    public var conditions: Conditions { shared.state.withLock(\.conditions) }

    /// Changes what is around the machine, and settles. Without a network what is under way breaks, and what waits for one goes on when
    /// it is there again.
    public func setConditions(_ conditions: Conditions) async {
        let (before, runtimes) = shared.state.withLock { state in
            defer { state.conditions = conditions }
            return (state.conditions, state.sessions.values.map(\.runtime))
        }
        board.setOffline(conditions.network == .none)
        for runtime in runtimes {
            runtime.note(shared.surroundings)
            if before.network == .none, conditions.network != .none { runtime.noteNetworkReturned() }
        }
        await settle()
    }

    /// Lets time pass, with everything that comes due on the way, and settles.
    public func advance(by span: Duration) async {
        await settle()
        let (start, end) = (now, now + span)
        // Whoever watches something that moves is told ten times a second; so often nobody has to be.
        let least = span / 1_000
        while let alarm = nextAlarm, alarm < end {
            await pass(to: min(end, max(alarm, now + least, start + least)))
        }
        await pass(to: end)
    }

    /// Waits until nothing is done any more but waiting: for the test, a date or a condition. What the app does with its own
    /// tasks it does not know.
    public func settle() async {
        var events: UInt64
        repeat {
            events = board.events
            // What one turn has decided is begun when the next one has been.
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
        // Any news wakes a loop.
        for runtime in shared.state.withLock({ $0.sessions.values.map(\.runtime) }) {
            runtime.note(shared.surroundings)
        }
        await settle()
    }

    /// Names a session that is open.
    private final class Seat: Sendable {}

    private func environment(_ seat: Seat) -> RuntimeEnvironment {
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
            // What is not due is waited for until the test moves the clock.
            return isDue ? WallTime(seconds: 0) : SystemClock.wallTime() + .seconds(86_400)
        }
        return environment
    }
}

/// What the sessions of a world see of it; it is there for as long as one of them is.
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
