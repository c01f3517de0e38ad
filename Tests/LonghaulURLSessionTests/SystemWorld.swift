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

/// Sessions are made on one device at a time.
@Suite(.serialized) struct AppleSystems {}

/// An app on a simulated device: its session on disk, and its processes, which die and come again.
///
/// `@unchecked Sendable`: the process is changed by the test and by launches, which the test brings about itself.
final class SystemWorld: DeviceStory, @unchecked Sendable {
    static let content = Data((0..<300_000).map { UInt8(truncatingIfNeeded: $0 &* 7) })

    let device = SimulatedDevice()
    let temporary: TemporaryDirectory
    let state: String
    let layout: SessionLayout
    private(set) var lane: SystemEngine.Lane
    /// The lane in which the app begins when a person opens it.
    private let usual: SystemEngine.Lane
    var runtime: SessionRuntime?
    private(set) var engine: SystemEngine?
    /// How long a process waits for ends of which the system has not told yet.
    var settling: TimeInterval = 2
    private var life = Life()
    private let clock = Mutex(WallTime(seconds: 1_800_000_000))
    /// What a completion handler promises, and did not keep.
    private let broken = Mutex<[String]>([])
    var brokenPromises: [String] { broken.withLock { $0 } }
    /// Whether the device is plugged in, as the app knows it.
    var hasPower = true
    /// How many commits and actions of its loop the process still lives through; `nil` when nothing kills it there.
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
            // Nothing but the app's own word calls it: none waits so long.
            let desk = LaunchDesk(limit: 3_600) { [weak self, life] in
                self?.checkHandler(of: identifier, life)
                done()
            }
            let runtime = runtime
            engine?.whenAllIsTold(of: identifier) { runtime?.send(.info) { _ in desk.finish() } }
        }
        if isLaunched { try launch() }
    }

    /// When the handler is called, what the system told with the launch has led to what it leads to, on the disk.
    private func checkHandler(of session: String, _ life: Life) {
        let ends = device.endsWhenAllWasTold(of: session)
        let notes = engine?.notes
        guard life.isAlive.withLock({ $0 }), let notes else { return }
        guard let ends else { return broken.withLock { $0.append("a handler was called before all was told") } }
        for id in ends.compactMap({ $0.name.flatMap(ExchangeID.init) }) {
            // A part that was answered with the whole waits for a word of the loop, and ends after that.
            guard let note = notes.note(of: id), note.outcome != nil, note.resume == nil else { continue }
            broken.withLock { $0.append("a handler was called before the end of \(id) was on the disk") }
        }
    }

    static let identifier = "org.example.photos.longhaul"

    /// A file to fetch, and a place that takes everything.
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

    /// Whether the process is there still at a commit or an action of its loop.
    private func outlives(_ life: Life) -> Bool {
        guard life.isAlive.withLock({ $0 }) else { return false }
        let isKilled = fuse.withLock { rest in
            guard let left = rest else { return false }
            rest = left > 0 ? left - 1 : nil
            return left == 0
        }
        guard isKilled else { return true }
        life.isAlive.withLock { $0 = false }
        device.note("the app is killed between its commits and actions")
        device.enter(.dead)
        return false
    }

    /// SIGKILL at a commit or an action of the loop, so many of them from now on: one of each commit is before it and one after it, and
    /// so with each action. `nil` takes that back.
    func die(after points: Int?) { fuse.withLock { $0 = points } }

    /// Whether the process was killed there.
    var wasKilled: Bool { runtime != nil && !life.isAlive.withLock { $0 } }

    /// The app's main function.
    func launch() throws {
        if wasKilled { bury() }
        try PrivateDirectory.create(layout.directory, mayTighten: true)
        runtime = try SessionRuntime.open(layout: layout, environment: begin())
    }

    /// A process begins: what it is made of.
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

    /// What the app knows of the network.
    private var surroundings: Surroundings {
        var surroundings = Surroundings()
        surroundings.conditions = Conditions(
            network: .reachable, isExpensive: device.network.isExpensive,
            hasExternalPower: hasPower)
        return surroundings
    }

    /// Wi-Fi, or the modem.
    func useModem(_ isUsed: Bool) {
        device.changeNetwork { ($0.isCellular, $0.isExpensive) = (isUsed, isUsed) }
        runtime?.note(surroundings)
    }

    /// SIGKILL.
    func die(_ how: (SimulatedDevice) -> Void = { $0.enter(.dead) }) {
        life.isAlive.withLock { $0 = false }
        how(device)
        bury()
    }

    /// What is left of the process in this one goes.
    private func bury() {
        die(after: nil)
        engine?.shutDown()
        runtime?.stop()
        (runtime, engine) = (nil, nil)
        // What launches it next is the system.
        lane = .back
    }

    /// What can be moved goes to the system, whatever time is left.
    func leaveToSystem() async throws {
        let runtime = try #require(runtime)
        engine?.setLane(.back)
        runtime.grantInOneBatch(upTo: 64)
        let plan = await withCheckedContinuation { continuation in
            runtime.planHandoff(grace: .zero, hasService: true) { continuation.resume(returning: $0) }
        }
        let leaving = plan.fates.filter { if case .handOver = $0.value { true } else { false } }.keys
        runtime.relocate(leaving.filter { engine?.lane(of: $0) == .front })
    }

    /// The same for one whose session is an app's own.
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

    /// For the app's clock and the device's.
    func passTogether(_ seconds: Int64) {
        pass(seconds)
        device.pass(TimeInterval(seconds))
        runtime?.note(surroundings)
    }

    func pass(_ seconds: Int64) { clock.withLock { $0 = $0 + .seconds(seconds) } }

    @discardableResult
    func ask(_ command: SessionCommand) async throws -> SessionReply {
        let runtime = try #require(runtime)
        return await withCheckedContinuation { continuation in
            runtime.send(command) { continuation.resume(returning: $0) }
        }
    }

    /// A command whose answer nobody waits for: the process may be dead by then.
    func say(_ command: SessionCommand) { runtime?.send(command) { _ in } }

    func submit(_ spec: TransferSpec) async throws -> TransferID {
        guard case .submitted(let answers) = try await ask(.submit([spec])), case .accepted(let id)? = answers.first
        else { throw TransferFailure(.internalFault, "not accepted") }
        return id
    }

    func detail(_ id: TransferID) async throws -> TransferDetail {
        guard case .detail(let detail) = try await ask(.show(id)) else {
            throw TransferFailure(.unknownTransfer, "not there")
        }
        return detail
    }

    func state(_ id: TransferID) async throws -> TransferState { try await detail(id).snapshot.state }

    /// Until so many tasks are there.
    func tasks(_ count: Int) async throws { try await wait("\(count) tasks") { device.unfinished() == count } }

    /// What the system says that it carries.
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

    /// Whether a process was given the file, or has made something of it.
    func isHere(_ film: TransferID) throws -> Bool {
        let notes = try ExchangeNotes(layout.directory + "/exchanges")
        return notes.ids.contains { id in
            id.transfer == film && notes.note(of: id).map { $0.head != nil || $0.outcome != nil } ?? false
        }
    }

    /// How often a body or question reached the server whole.
    func arrivals(_ method: String) -> Int { device.network.requests.count { $0.request.httpMethod == method } }

    /// What holds at the end of every story.
    func end() {
        #expect(device.violations.isEmpty)
        #expect(brokenPromises.isEmpty)
        #expect(device.openHandlers == 0)
        if runtime != nil { die() }
    }
}
