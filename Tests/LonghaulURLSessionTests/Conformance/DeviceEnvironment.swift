import BackgroundTasks
import Foundation
import FoundationDouble
import LonghaulCore
import Network
import ReferenceSystems
import Synchronization
import TestSupport
import Testing

@testable import Longhaul
@testable import LonghaulApple

/// An app on a simulated device.
///
/// `@unchecked Sendable`: the process is changed by the test, and by launches that the test causes.
final class DeviceEnvironment: Environment, @unchecked Sendable {
    /// One process of the app.
    private final class Launch: Sendable {
        let isAlive = Mutex(true)
        let screen = Mutex<Task<Void, Never>?>(nil)
        let scheduler = Mutex<TaskScheduler?>(nil)
        let session = Mutex<TransferSession?>(nil)

        /// Shows nothing after the death of the process: the rest of the process still runs in the test.
        func ifAlive(_ body: () -> Void) { isAlive.withLock { if $0 { body() } } }
    }

    private final class Lines: Sendable {
        let all = Mutex<[String]>([])
    }

    let server = ServerScript()
    let world: AppWorld
    private let system: System
    private let lines = Lines()
    private var launch = Launch()
    /// The start for a task.
    private var task: BGTask?
    private var disk: SmallVolume?
    private var refusesResumeData = false

    init(_ system: System) async throws {
        self.system = system
        world = try await AppWorld()
        (world.sessionName, world.bundleIdentifier) = (system.type.session, system.type.session)
        use(container: "1")
        try FileManager.default.createDirectory(atPath: directory, withIntermediateDirectories: true)
        try Data(ServerScript.photo.bytes()).write(to: URL(fileURLWithPath: directory + "/photo.jpg"))
        let answer = server.answer
        world.device.changeNetwork { $0.server = answer }
        app(of: launch).configure(&world.configuration)
        world.options.onEvents = { [unowned self] session in
            let launch = self.launch
            do { try await app(of: launch).handleEvents(of: session) } catch { report(error, launch) }
        }
        world.whenLaunching = { [unowned self] app in start(app) }
    }

    /// The app's main function.
    private func start(_ session: AppSession) {
        let launch = Launch()
        self.launch = launch
        let app = app(of: launch)
        BGTaskScheduler.shared.beginLaunch(permitting: names)
        let scheduler = TaskScheduler(session) { tasks throws(TransferFailure) in try app.register(tasks) }
        do { try scheduler.register() } catch { Issue.record(error) }
        BGTaskScheduler.shared.endLaunch()
        launch.scheduler.withLock { $0 = scheduler }
    }

    private var names: [String] { ["\(system.type.session).refresh", "\(system.type.session).processing"] }

    private func app(of launch: Launch) -> any ReferenceSystem {
        let platform = Platform(server: "http://server.example", directory: directory) { [lines] line in
            launch.ifAlive { lines.all.withLock { $0.append(line) } }
        } schedule: { request, _ throws(TransferFailure) in
            guard let scheduler = launch.scheduler.withLock({ $0 }) else { throw TransferFailure(.invalidState, "") }
            try await scheduler.submit(request)
        }
        return system.type.init(platform)
    }

    private func report(_ error: any Error, _ launch: Launch) {
        let code = (error as? TransferFailure)?.code.rawValue ?? "\(error)"
        launch.ifAlive { lines.all.withLock { $0.append("failed, \(code)") } }
    }

    var directory: String { world.home + "/Documents" }

    private func use(container: String) {
        world.home = world.temporary.path(container)
        world.options.directory = world.home + "/Library/Application Support/Longhaul"
    }

    var arrivals: [ServerScript.Arrival] {
        world.device.network.requests.map { request, body, _ in
            ServerScript.Arrival(
                method: request.httpMethod ?? "", path: request.url?.path ?? "",
                idempotencyKey: request.value(forHTTPHeaderField: "Idempotency-Key"), body: Array(body))
        }
    }

    var bytesMoved: Int64 { world.device.network.bytesSent + world.device.network.bytesReceived }

    var shown: [String] { lines.all.withLock { $0 } }

    var isIdle: Bool { world.device.unfinished() == 0 }

    func open() async throws {
        try await world.open()
        let (launch, process, session) = (launch, try #require(world.process), try await world.session)
        let app = app(of: launch)
        launch.session.withLock { $0 = session }
        launch.screen.withLock { screen in
            screen = Task { [self] in
                do { try await app.open(session, process.lifecycle) } catch { report(error, launch) }
            }
        }
    }

    func quit() async throws {
        await Screen.terminate()
        try await kill()
    }

    func kill() async throws { await die { $0.enter(.dead) } }

    func forceQuit() async throws { await die { $0.forceQuit() } }

    private func die(_ how: (SimulatedDevice) -> Void) async {
        launch.isAlive.withLock { $0 = false }
        let screen = launch.screen.withLock { $0 }
        screen?.cancel()
        launch.session.withLock { $0 }?.lastWill.abandon()
        await world.die(how)
    }

    func updateApp() async throws {
        try await kill()
        let old = world.home
        use(container: "2")
        try world.device.moveContainer(from: old, to: world.home, tasksFollow: true)
    }

    func refuseResumeData() {
        refusesResumeData = true
        world.device.refuseResumeData(with: NSError(domain: NSURLErrorDomain, code: -3003))
        // Otherwise only downloads have resume data.
        world.device.changeNetwork { $0.keepsUploads = true }
    }

    func leaveUntilTimeIsOver() async throws {
        await Screen.setTime(30)
        world.device.enter(.background)
        await Screen.leaveApp()
        try await world.wait("the app is behind") { world.process?.app.carrier.isBehind == true }
        #expect(await Screen.expireBackgroundTasks() == [])
        try await world.wait("the background task has ended") { await Screen.openBackgroundTasks == 0 }
        world.device.enter(.suspended)
    }

    func lockDevice() async throws {
        let paths = try FileManager.default.subpathsOfDirectory(atPath: world.home)
        await Screen.setUnlocked(false)
        world.device.lock(true, closing: paths.map { "\(world.home)/\($0)" })
        for _ in 0..<20 {
            world.device.pass(1)
            world.device.step()
        }
        world.device.lock(false)
        await Screen.setUnlocked(true)
    }

    func setOnline(_ isOnline: Bool) {
        NWPathMonitor.change(to: isOnline ? NWPath(.satisfied, .wifi) : NWPath(.unsatisfied))
        world.device.changeNetwork { $0.isOnline = isOnline }
        if !isOnline { world.device.breakConnections() }
    }

    func fillStorage() throws {
        disk = try SmallVolume(.tmpfs, in: world.temporary, "1/Documents/films", bytes: 4 << 20)
        try disk?.fillUp()
    }

    func freeStorage() throws { try disk?.makeRoom() }

    /// The system does not announce its limit.
    func limitTaskTime() async throws {}

    func endTaskTime() async throws {
        task?.expirationHandler?()
        try await world.wait("the run ends") { !BGTaskScheduler.shared.completed.isEmpty }
        world.device.enter(.suspended)
    }

    func leave() async throws { try await world.leaveApp() }

    func comeBack() async throws { try await world.open() }

    func startForTask() async throws {
        world.startInBackground()
        task = BGTaskScheduler.shared.launch(names[0])
        #expect(task != nil)
    }

    func wait(_ what: Comment, until isTrue: () async throws -> Bool) async throws {
        do {
            try await world.go(what, until: isTrue)
        } catch {
            throw TimedOut(what: what.rawValue, seen: "\(shown)\n\(world.device.diary.joined(separator: "\n"))")
        }
    }

    func end() async throws {
        // A download of the foreground session uses none.
        if refusesResumeData, system == .photoUpload {
            #expect(world.device.diary.contains { $0.contains("ends with -3003") })
        }
        try await wait("each launch has ended") { world.device.openHandlers == 0 }
        launch.isAlive.withLock { $0 = false }
        launch.screen.withLock { $0?.cancel() }
        await world.end()
    }
}
