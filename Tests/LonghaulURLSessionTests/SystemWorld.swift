import Foundation
import FoundationDouble
import Longhaul
import LonghaulCore
import LonghaulFiles
import LonghaulRuntime
import LonghaulSystem
import Synchronization
import TestSupport
import Testing

@testable import LonghaulURLSession

/// Sessions are created on one device at a time.
@Suite(.serialized, .closingWorlds) struct AppleSystems {}

/// An app on a simulated device: its session on disk, and its processes, which die and are launched again.
///
/// `@unchecked Sendable`: the process is changed by the test, and by launches that the test causes.
final class SystemWorld: DeviceStory, @unchecked Sendable {
    static let content = Data((0..<300_000).map { UInt8(truncatingIfNeeded: $0 &* 7) })

    let device = SimulatedDevice()
    let temporary: TemporaryDirectory
    let state: String
    let layout: SessionLayout
    private(set) var lane: SystemEngine.Lane
    /// Where exchanges start when the user opens the app.
    private let usual: SystemEngine.Lane
    var runtime: SessionRuntime?
    private(set) var engine: SystemEngine?
    /// How long a process waits for ends that the system has not reported yet.
    var settling: TimeInterval = 2
    private var life = Life()
    private let clock = Mutex(WallTime(seconds: 1_800_000_000))
    /// The promises of completion handlers that were broken.
    private let broken = Mutex<[String]>([])
    var brokenPromises: [String] { broken.withLock { $0 } }
    /// Whether external power is connected, as the app knows it.
    var hasPower = true
    /// The number of commits and actions of its loop until the process is killed; `nil` if it is not killed there.
    private let fuse = Mutex<Int?>(nil)

    private final class Life: Sendable {
        let isAlive = Mutex(true)
    }

    /// `isLaunched`: the app's main function has run, and opened the session.
    init(lane: SystemEngine.Lane = .back, isLaunched: Bool = true) throws {
        temporary = try TemporaryDirectory()
        state = temporary.path("state")
        layout = SessionLayout(stateDirectory: state, session: try #require(SessionID("org.example.photos")))
        self.lane = lane
        usual = lane
        SimulatedDevice.current = device
        device.changeNetwork { $0.server = Self.answer }
        device.whenLaunched { [unowned self] in
            do { try launch() } catch { preconditionFailure("the app could not be launched: \(error)") }
        } events: { [unowned self] identifier, done in
            precondition(identifier.hasPrefix(Self.identifier), "not ours")
            // Only the app itself calls the handler: no test takes that long.
            let desk = LaunchCompletion(limit: 3_600) { [weak self, life] in
                self?.checkHandler(of: identifier, life)
                done()
            }
            let runtime = runtime
            engine?.whenAllIsTold(of: identifier) { runtime?.send(.info) { _ in desk.finish() } }
        }
        OpenWorlds.add(self) { [self] in if runtime != nil { die() } }
        if isLaunched { try launch() }
    }

    /// Checks that the results of the launch's events are on the disk when the handler is called.
    private func checkHandler(of session: String, _ life: Life) {
        let ends = device.endsWhenAllWasTold(of: session)
        let notes = engine?.notes
        guard life.isAlive.withLock({ $0 }), let notes else { return }
        guard let ends else {
            return broken.withLock { $0.append("a handler was called before all events were delivered") }
        }
        for id in ends.compactMap({ $0.name.flatMap(ExchangeID.init) }) {
            // A range request with a whole response waits for the loop, and ends after that.
            guard let note = notes.read(of: id), note.outcome != nil, note.resume == nil else { continue }
            broken.withLock { $0.append("a handler was called before the end of \(id) was on the disk") }
        }
    }

    static let identifier = "org.example.photos.longhaul"

    /// A file to download, and a server that accepts all uploads.
    static let answer: SimulatedNetwork.Server = { request, body in
        guard request.httpMethod == "GET" else { return .init(201, ["Location": "/a"], Data("\(body.count)".utf8)) }
        var headers = [
            "ETag": "\"1\"", "Date": "Fri, 15 Jan 2027 08:00:00 GMT", "Last-Modified": "Thu, 14 Jan 2027 08:00:00 GMT",
        ]
        let first = request.value(forHTTPHeaderField: "Range").flatMap { range in
            Int(range.dropFirst("bytes=".count).prefix { $0 != "-" })
        }
        guard let first else { return .init(200, headers, content) }
        headers["Content-Range"] = "bytes \(first)-\(content.count - 1)/\(content.count)"
        return .init(206, headers, content.dropFirst(first))
    }

    /// Returns whether the process survives this commit or action of its loop.
    private func outlives(_ life: Life) -> Bool {
        guard life.isAlive.withLock({ $0 }) else { return false }
        let isKilled = fuse.withLock { rest in
            guard let left = rest else { return false }
            rest = left > 0 ? left - 1 : nil
            return left == 0
        }
        guard isKilled else { return true }
        life.isAlive.withLock { $0 = false }
        device.log("the app is killed between its commits and actions")
        device.enter(.dead)
        return false
    }

    /// SIGKILL after this number of commits and actions of the loop. Each commit and each action counts twice: before
    /// and after it. `nil` cancels the kill.
    func die(after points: Int?) { fuse.withLock { $0 = points } }

    /// Whether the process was killed that way.
    var wasKilled: Bool { runtime != nil && !life.isAlive.withLock { $0 } }

    /// The app's main function.
    func launch() throws {
        if wasKilled { bury() }
        try PrivateDirectory.create(layout.directory, mayTighten: true)
        runtime = try SessionRuntime.open(layout: layout, environment: begin())
    }

    /// Starts a process, and returns its environment.
    func begin() -> RuntimeEnvironment {
        let life = Life()
        self.life = life
        var environment = RuntimeEnvironment(
            now: { [self] in clock.withLock { $0 } }, random: { .random(in: 0 ... .max) }, bootID: "boot",
            survives: { [self] _ in outlives(life) },
            makeEngine: { [self] layout, sink throws(TransferFailure) in
                let alive: SystemEngine.Sink = { if life.isAlive.withLock({ $0 }) { sink($0) } }
                let made = try SystemEngine(
                    BackgroundSessionOptions(identifier: Self.identifier), directory: layout.directory + "/exchanges",
                    sessions: SystemSessions(), settling: settling,
                    clock: { [self] in clock.withLock { $0 } }, sink: alive)
                made.setLane(lane)
                engine = made
                return Engine(exchanges: made, files: try FileWorkers(sink: alive))
            })
        environment.ownerKind = .app
        environment.surroundings = { [self] in surroundings }
        return environment
    }

    /// The network state that the app knows.
    private var surroundings: Surroundings {
        var surroundings = Surroundings()
        surroundings.conditions = Conditions(
            network: .reachable, isExpensive: device.network.isExpensive,
            hasExternalPower: hasPower)
        return surroundings
    }

    /// Switches between Wi-Fi and the modem.
    func useModem(_ isUsed: Bool) {
        device.changeNetwork { ($0.isCellular, $0.isExpensive) = (isUsed, isUsed) }
        runtime?.update(surroundings)
    }

    /// SIGKILL.
    func die(_ how: (SimulatedDevice) -> Void = { $0.enter(.dead) }) {
        life.isAlive.withLock { $0 = false }
        how(device)
        bury()
    }

    /// Removes the rest of the dead process from this one.
    private func bury() {
        die(after: nil)
        engine?.shutDown()
        runtime?.stop()
        (runtime, engine) = (nil, nil)
        // The system launches it next.
        lane = .back
    }

    /// Moves all exchanges that can be moved to the system, regardless of the remaining time.
    func leaveToSystem() async throws {
        let runtime = try #require(runtime)
        engine?.setLane(.back)
        runtime.grantInOneBatch(upTo: 64)
        let plan = await withCheckedContinuation { continuation in
            runtime.planHandoff(grace: .zero, hasService: true) { continuation.resume(returning: $0) }
        }
        let leaving = plan.actions.filter { if case .handOver = $0.value { true } else { false } }.keys
        runtime.relocate(leaving.filter { engine?.lane(of: $0) == .front })
    }

    /// SIGKILL for a process whose session is an app's own.
    func die(with session: TransferSession) async {
        life.isAlive.withLock { $0 = false }
        device.enter(.dead)
        engine?.shutDown()
        await session.close()
        (runtime, engine) = (nil, nil)
        lane = .back
    }

    func comeBack() throws {
        device.enter(.foreground)
        if wasKilled { bury() }
        lane = usual
        if runtime == nil { return try launch() }
        engine?.setLane(lane)
        runtime?.holdTurns(false)
    }

    /// Advances the app's clock and the device's.
    func passTogether(_ seconds: Int64) {
        pass(seconds)
        device.pass(TimeInterval(seconds))
        runtime?.update(surroundings)
    }

    func pass(_ seconds: Int64) { clock.withLock { $0 = $0 + .seconds(seconds) } }

    @discardableResult
    func send(_ command: SessionCommand) async throws -> SessionReply {
        let runtime = try #require(runtime)
        return await withCheckedContinuation { continuation in
            runtime.send(command) { continuation.resume(returning: $0) }
        }
    }

    /// Sends a command without waiting for its answer: the process may be dead by then.
    func say(_ command: SessionCommand) { runtime?.send(command) { _ in } }

    func submit(_ spec: TransferSpec) async throws -> TransferID {
        guard case .submitted(let answers) = try await send(.submit([spec])), case .accepted(let id)? = answers.first
        else { throw TransferFailure(.internalFault, "not accepted") }
        return id
    }

    func detail(_ id: TransferID) async throws -> TransferDetail {
        guard case .detail(let detail) = try await send(.show(id)) else {
            throw TransferFailure(.unknownTransfer, "not there")
        }
        return detail
    }

    func state(_ id: TransferID) async throws -> TransferState { try await detail(id).snapshot.state }

    /// Waits until there are that many tasks.
    func tasks(_ count: Int) async throws { try await wait("\(count) tasks") { device.unfinished() == count } }

    /// Returns the tasks that the system reports.
    func systemTasks() async throws -> [URLSessionTask] {
        let engine = try #require(engine)
        return await withCheckedContinuation { continuation in
            engine.lanes.back.allTasks { continuation.resume(returning: $0) }
        }
    }

    func upload(_ method: String, _ count: Int, path: String = "a") throws -> TransferSpec {
        let file = temporary.path("source-\(method)-\(count)")
        try Data((0..<count).map { UInt8(truncatingIfNeeded: $0 &* 31) }).write(to: URL(fileURLWithPath: file))
        let source = SourceFile(path: file, pin: SourcePin(try FileStatus(of: file)))
        return TransferSpec(work: .upload(.raw(source)), method: method, url: "http://server.example/\(path)")
    }

    func download(_ name: String = "film.mp4") -> TransferSpec {
        TransferSpec(
            work: .download(DownloadSpec(directory: temporary.path, fileName: name)), method: "GET",
            url: "http://server.example/film.mp4")
    }

    func file(_ name: String = "film.mp4") -> Data? { FileManager.default.contents(atPath: temporary.path(name)) }

    /// Returns whether a process has received the file, or has processed it.
    func isHere(_ film: TransferID) throws -> Bool {
        let notes = try ExchangeNotes(layout.directory + "/exchanges")
        return notes.ids.contains { id in
            id.transfer == film && notes.read(of: id).map { $0.head != nil || $0.outcome != nil } ?? false
        }
    }

    /// Returns how many complete bodies or queries reached the server.
    func arrivals(_ method: String) -> Int { device.network.requests.count { $0.request.httpMethod == method } }

    /// Checks the invariants at the end of every test.
    func end() {
        #expect(device.violations.isEmpty)
        #expect(brokenPromises.isEmpty)
        #expect(device.openHandlers == 0)
        if runtime != nil { die() }
        OpenWorlds.remove(self)
    }
}
