import BackgroundTasks
import Foundation
import FoundationDouble
@testable import Longhaul
import LonghaulApple
import LonghaulCore
import Network
import Synchronization
import TestSupport
import Testing
import UserNotifications

/// An app as its developer writes it, on a simulated device. Its processes die and are launched again.
///
/// `@unchecked Sendable`: the process is changed by the test, and by launches that the test causes.
final class AppWorld: DeviceStory, @unchecked Sendable {
    static let name = "org.example.photos"

    final class Guarded: Sendable {
        let closed = Mutex<Set<String>>([])
        let leftOut = Mutex<Set<String>>([])
    }

    let device = SimulatedDevice()
    let temporary: TemporaryDirectory
    var options = AppOptions()
    /// The home directory of the app.
    var home = NSHomeDirectory()
    var configuration = TransferSession.Configuration()
    /// The name of the session.
    var sessionName = AppWorld.name
    /// `nil`: the process is not an app.
    var bundleIdentifier: String? = AppWorld.name
    /// Whether the system has the calls of iOS 27.
    var submitsWithCompletion = true
    /// Changes the surroundings of the app's processes.
    var adjust: @Sendable (inout AppSurroundings) -> Void = { _ in }
    /// The entries of the system's log.
    let logged = Mailbox<String>()
    /// The app's actions at launch besides opening the session: it declares its handlers.
    var whenLaunching: @Sendable (AppSession) -> Void = { _ in }
    /// Launches an app that creates its own session.
    var launch: (@Sendable (AppSurroundings) -> AppSession)?
    /// Changes the environment of each process.
    var whenMaking: @Sendable (inout AppSurroundings, AppProcess.Life) -> Void = { _, _ in }
    /// Handles a launch for events in place of the delegate's method.
    var takeEvents: (@Sendable (AppSession, String, @escaping @Sendable () -> Void) -> Void)?
    private(set) var process: AppProcess?
    /// The file attributes that the session requested from the system.
    let guarded = Guarded()

    init() async throws {
        temporary = try TemporaryDirectory()
        options.directory = temporary.path("Application Support/Longhaul")
        SimulatedDevice.current = device
        device.changeNetwork { $0.server = SystemWorld.answer }
        NWPathMonitor.change(to: NWPath(.satisfied, .wifi))
        BGTaskScheduler.shared.reset()
        UNUserNotificationCenter.current().reset()
        ProcessInfo.forgetActivities()
        await Screen.setTime(3)
        OpenWorlds.add(self) { [self] in if process != nil { await die() } }
        // Until a test opens it.
        await Screen.leaveApp()
        await Screen.setUnlocked(true)
        device.whenLaunched { [unowned self] in
            start()
        } events: { [unowned self] identifier, done in
            guard let app = process?.app else { preconditionFailure("there is no process") }
            if let takeEvents { return takeEvents(app, identifier, done) }
            DispatchQueue.main.async {
                MainActor.assumeIsolated {
                    // Not marked as Sendable, as the system passes it.
                    #expect(app.handleEvents(forBackgroundURLSession: identifier) { done() })
                }
            }
        }
    }

    /// The session of the present process.
    var session: TransferSession {
        get async throws {
            guard let process else { throw TransferFailure(.internalFault, "there is no process") }
            return try await process.app.open()
        }
    }

    func start() {
        let guarding = FileGuarding { [guarded] path in
            guarded.closed.withLock { _ = $0.insert(path) }
        } excludeFromBackup: { [guarded] path in
            guarded.leftOut.withLock { _ = $0.insert(path) }
        }
        let made = AppProcess(
            sessionName, configuration: configuration, options: options, home: home, guarding: guarding,
            bundleIdentifier: bundleIdentifier, submitsWithCompletion: submitsWithCompletion, launching: launch
        ) { surroundings, life in
            surroundings.log = { [logged] text in logged.append(text) }
            adjust(&surroundings)
            whenMaking(&surroundings, life)
        }
        whenLaunching(made.app)
        if launch == nil { made.follow() }
        process = made
    }

    /// The user opens the app.
    func open() async throws {
        device.enter(.foreground)
        await Screen.show()
        if process == nil { start() }
        try await wait("the app is in front") { process?.app.carrier.isBehind == false }
        _ = try await session
    }

    /// The system starts the app in the background.
    func startInBackground() {
        device.enter(.background)
        start()
    }

    /// The user leaves the app: it keeps running for a while, then it is suspended. `count`: the number of transfers that move to the
    /// system meanwhile. The device advances until then, but carries no bytes: no transfer may end before it moves.
    func leaveApp(handingOver count: Int = 0) async throws {
        device.enter(.background)
        let portion = device.network.portion
        if count > 0 { device.changeNetwork { $0.portion = 0 } }
        await Screen.leaveApp()
        if count > 0 {
            try await go("the system has them") {
                device.unfinished() == count && device.unfinished(inBackground: true) == count
            }
            device.changeNetwork { $0.portion = portion }
        }
        try await wait("it gives the time back") {
            await Screen.openBackgroundTasks == 0
        }
        device.enter(.suspended)
    }

    /// The system reclaims the memory, or the user force-quits the app.
    func die(_ how: (SimulatedDevice) -> Void = { $0.enter(.dead) }) async {
        // A process that was killed between its commits does not reply.
        let isOpen = process.map { $0.isAlive && $0.app.carrier.runtime != nil } ?? false
        let session = isOpen ? try? await process?.app.open() : nil
        await process?.die { how(device) }
        // The system releases the file locks of a process that has ended.
        session?.lastWill.witness.withLock { $0 = nil }
        process = nil
        await Screen.endProcess()
    }

    /// Advances the device until it has launched the app and the app has called its completion handler.
    func goUntilLaunched(_ count: Int = 1) async throws {
        try await go("launched") { device.launches.count == count && device.openHandlers == 0 }
    }

    /// Returns the path of a file with that many bytes.
    func photo(_ count: Int) throws -> String {
        let file = temporary.path("photo-\(count).jpg")
        try Data((0..<count).map { UInt8(truncatingIfNeeded: $0 &* 31) }).write(to: URL(fileURLWithPath: file))
        return file
    }

    /// The notifications that the user sees.
    var notifications: [String] { UNUserNotificationCenter.current().shown.map(\.content.title) }

    /// Returns how many complete requests reached the server.
    func arrivals(_ method: String) -> Int { device.network.requests.count { $0.request.httpMethod == method } }

    /// Checks the invariants at the end of every test.
    func end() async {
        #expect(device.violations.isEmpty)
        #expect(device.openHandlers == 0)
        if process != nil { await die() }
        OpenWorlds.remove(self)
    }
}
