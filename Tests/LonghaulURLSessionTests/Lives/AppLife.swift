import BackgroundTasks
import Foundation
import FoundationDouble
import Longhaul
import LonghaulCore
import LonghaulRuntime
import Network
import SwiftUI
import Synchronization
import TestSupport
import Testing
import UserNotifications

@testable import LonghaulApple
@testable import LonghaulURLSession

/// One life of an app on the simulated device, through the public API: the actions of a plan, and then a settled end.
///
/// `@unchecked Sendable`: the device calls it only while the test waits for that.
final class AppLife: @unchecked Sendable {
    struct Fault: Error, CustomStringConvertible {
        let description: String
        init(_ description: String) { self.description = description }
    }

    struct Upload {
        var id: TransferID?
        /// The app's own name for the transfer, and the path on the server.
        var key: String
        var work: LifePlan.Work
        var body: Data?
        /// Whether it may be unknown whether the server has the request.
        var mayBeUnknown = false
        var isCancelled = false
        /// Whether the process was killed before the submission was confirmed.
        var isUncertain = false
    }

    struct Film {
        var id: TransferID?
        var key: String
        var isTouched = false
        var isCancelled = false
        var isUncertain = false
    }

    enum Phase { case foreground, background, suspended, dead }

    static let tasks = ["org.example.photos.refresh", "org.example.photos.processing"]

    let plan: LifePlan
    let world: AppWorld
    let server = WalkServer()
    let fuse = Fuse()
    let clock = LifeClock()
    let scheduler = Mutex<TaskScheduler?>(nil)
    let work = Mutex<ContinuedWork?>(nil)
    /// The promises of completion handlers that were broken.
    let broken = Mutex<[String]>([])
    var phase = Phase.dead
    var uploads: [Upload] = []
    var films: [Film] = []
    /// The tasks that the system has started.
    var lent: [LentTask] = []
    /// The calls of the app's completion handlers for taps.
    let taps = Mutex(0)

    var device: SimulatedDevice { world.device }

    init(_ plan: LifePlan) async throws {
        self.plan = plan
        world = try await AppWorld()
        // A link, so that the files become unreadable and readable again in one step each.
        try FileManager.default.createDirectory(
            atPath: world.temporary.path("opened"), withIntermediateDirectories: true)
        try Self.link(to: "opened", in: world.temporary)
        if plan.showsNotifications { world.configuration.notifications = NotificationSettings(appName: "Photos") }
        device.changeNetwork { [server] network in
            network.portion = 40_000
            network.keepsUploads = plan.keepsUploads
            network.server = { server.answer($0, $1) }
        }
        world.whenMaking = { [unowned self] surroundings, life in adapt(&surroundings, life) }
        world.whenLaunching = { [unowned self] in declare($0) }
        world.takeEvents = { [unowned self] in takeEvents($0, $1, $2) }
    }

    /// Writes the log to a file, for a life that crashes or hangs.
    func mark() {
        guard let path = ProcessInfo.processInfo.environment["LONGHAUL_TEST_LIFE"] else { return }
        let text = "seed \(plan.seed)\n" + device.diary.joined(separator: "\n") + "\n"
        // Without the file, only its reader lacks something.
        try? Data(text.utf8).write(to: URL(fileURLWithPath: path))
    }

    private func adapt(_ surroundings: inout AppSurroundings, _ life: AppProcess.Life) {
        surroundings.settling = 0.5
        surroundings.now = { [clock] in clock.time }
        surroundings.survives = { [fuse] _ in
            life.isAlive.withLock { $0 } && fuse.passes { life.isAlive.withLock { $0 = false } }
        }
    }

    /// Makes the directory that the app uses another one.
    static func link(to name: String, in temporary: TemporaryDirectory) throws {
        let link = temporary.path("link")
        try FileManager.default.createSymbolicLink(atPath: link, withDestinationPath: temporary.path(name))
        guard rename(link, temporary.path("Application Support")) == 0 else { throw Fault("cannot replace the link") }
    }

    /// Performs the plan, then checks the result.
    func run() async throws {
        try await open()
        for action in plan.actions {
            device.log("* \(action)")
            mark()
            try await perform(action)
            if let process = world.process, !process.isAlive { try await die() }
            try checkRules()
        }
        try await settle()
        try await check()
        try await die()
        await world.end()
    }

    /// The app's main function declares its handlers.
    private func declare(_ app: AppSession) {
        if plan.showsNotifications { app.becomeNotificationDelegate() }
        BGTaskScheduler.shared.beginLaunch(permitting: Self.tasks + ["org.example.photos.continued.*"])
        let made = TaskScheduler(app) { tasks throws(TransferFailure) in
            for name in ["noon", "night"] {
                try tasks.register(name) { context in
                    var options = TransferOptions()
                    options.wakesAppWhenFinished = true
                    _ = try await context.session.request(
                        "http://server.example/weather", key: "weather", options: options
                    ).response()
                }
            }
        }
        do {
            if plan.usesScenes {
                _ = WindowGroup { Text("films") }.transferEvents(of: app).transferTasks(of: made)
                try made.registerProcessing()
            } else {
                try made.register()
            }
        } catch {
            Issue.record(error)
        }
        scheduler.withLock { $0 = made }
        work.withLock { $0 = ContinuedWork(app) }
        BGTaskScheduler.shared.endLaunch()
    }

    private func takeEvents(_ app: AppSession, _ identifier: String, _ done: @escaping @Sendable () -> Void) {
        let process = world.process
        let checked: @Sendable () -> Void = { [weak self, weak process] in
            if let self, let process, process.isAlive { checkHandler(of: identifier, process) }
            done()
        }
        guard plan.usesScenes else {
            return DispatchQueue.main.async {
                MainActor.assumeIsolated { _ = app.handleEvents(forBackgroundURLSession: identifier) { checked() } }
            }
        }
        Task {
            await BackgroundActions.run(identifier)
            DispatchQueue.main.async { checked() }
        }
    }

    /// Makes a call of the app, and returns when it has returned or its process is dead. Refusals are valid.
    func call<Value: Sendable>(
        _ body: @escaping @Sendable (TransferSession) async throws -> Value
    ) async throws -> Value? {
        guard let process = world.process else { return nil }
        let result = Mutex<Result<Value, any Error>?>(nil)
        Task {
            do {
                let value = try await body(try await process.app.open())
                result.withLock { $0 = .success(value) }
            } catch {
                result.withLock { $0 = .failure(error) }
            }
        }
        try await world.wait("a call returns") { result.withLock { $0 != nil } || !process.isAlive }
        return result.withLock { result in
            if case .success(let value)? = result { value } else { nil }
        }
    }

    /// Both clocks advance, and the device by one step. The system's clock runs faster, because it delays an app's tasks for long.
    func step() {
        pass(1)
        device.pass(200)
        device.step()
    }

    func pass(_ seconds: Int64) {
        clock.pass(seconds)
        if let carrier = world.process?.app.carrier { carrier.runtime?.update(carrier.surroundings) }
    }

    /// Advances the device until the condition holds. After a while, nothing hinders that any more.
    func go(_ what: Comment, until isTrue: () async throws -> Bool) async throws {
        var count = 0
        try await world.wait(what) {
            if try await isTrue() { return true }
            count += 1
            if count == 40 { server.beMute(false) }
            if count > 40, count.isMultiple(of: 20) {
                pass(600)
                device.pass(600)
            }
            step()
            return false
        }
    }

    /// SIGKILL, at any time of a process, even while it opens its session.
    func die(_ how: (SimulatedDevice) -> Void = { $0.enter(.dead) }) async throws {
        guard let process = world.process else { return }
        fuse.light(nil)
        let hasTried = Mark()
        Task {
            _ = try? await process.app.open()
            hasTried.set()
        }
        // The session's lock is free when the loop has stopped.
        try await world.wait("it has opened its session or not") {
            hasTried.isSet || process.app.carrier.runtime != nil
        }
        await world.die(how)
        // The assertions of a process end with it.
        _ = await Screen.expireBackgroundTasks()
        phase = .dead
        for number in lent.indices { lent[number].isOfPresentProcess = false }
    }
}
