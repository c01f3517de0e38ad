import BackgroundTasks
import Foundation
import FoundationDouble
import LonghaulApple
import LonghaulCore
import Network
import Synchronization
import TestSupport
import Testing
import UserNotifications

/// An app as its developer writes it, on a simulated device. Its processes die and come again.
///
/// `@unchecked Sendable`: the process is changed by the test and by launches, which the test brings about itself.
final class AppWorld: DeviceStory, @unchecked Sendable {
    static let name = "org.example.photos"

    final class Guarded: Sendable {
        let closed = Mutex<Set<String>>([])
        let leftOut = Mutex<Set<String>>([])
    }

    let device = SimulatedDevice()
    let temporary: TemporaryDirectory
    var options = AppOptions()
    var configuration = TransferSession.Configuration()
    /// What a launch does beside opening the session: the app declares its handlers.
    var whenLaunching: @Sendable (AppSession) -> Void = { _ in }
    private(set) var process: AppProcess?
    /// What was asked of the system for the session's files.
    let guarded = Guarded()

    init() async throws {
        temporary = try TemporaryDirectory()
        options.directory = temporary.path("Application Support/Longhaul")
        SimulatedDevice.current = device
        device.changeNetwork { $0.server = SystemWorld.answer }
        NWPathMonitor.change(to: NWPath(.satisfied, .wifi))
        BGTaskScheduler.shared.reset()
        UNUserNotificationCenter.current().reset()
        await Screen.setTime(3)
        await Screen.setUnlocked(true)
        device.whenLaunched { [unowned self] in
            start()
        } events: { [unowned self] identifier, done in
            guard let app = process?.app else { preconditionFailure("there is no process") }
            DispatchQueue.main.async {
                MainActor.assumeIsolated {
                    // As the system passes it: not marked as Sendable.
                    #expect(app.handleEvents(forBackgroundURLSession: identifier) { done() })
                }
            }
        }
    }

    /// The session, which the present process has open.
    var session: TransferSession {
        get async throws {
            guard let process else { throw TransferFailure(.internalFault, "there is no process") }
            return try await process.app.open()
        }
    }

    private func start() {
        let guarding = FileGuarding { [guarded] path in
            guarded.closed.withLock { _ = $0.insert(path) }
        } excludeFromBackup: { [guarded] path in
            guarded.leftOut.withLock { _ = $0.insert(path) }
        }
        let made = AppProcess(Self.name, configuration: configuration, options: options, guarding: guarding)
        whenLaunching(made.app)
        made.follow()
        process = made
    }

    /// A person opens the app.
    func open() async throws {
        device.enter(.foreground)
        await Screen.show()
        if process == nil { start() }
        try await wait("the app is in front") { process?.app.carrier.isBehind == false }
        _ = try await session
    }

    /// The system starts the app where nobody sees it.
    func startInBackground() {
        device.enter(.background)
        start()
    }

    /// A person leaves the app: it may do something for a while, then it stands still.
    func leave() async throws {
        device.enter(.background)
        await Screen.leave()
        try await wait("it gives the time back") {
            await Screen.openBackgroundTasks == 0
        }
        device.enter(.suspended)
    }

    /// The system needs the memory; a person ends the app by force.
    func die(_ how: (SimulatedDevice) -> Void = { $0.enter(.dead) }) async {
        process?.die { how(device) }
        process = nil
        await Screen.leave()
    }

    /// Lets the device go on until it has started the app and the app has said that it is done.
    func goUntilLaunched(_ count: Int = 1) async throws {
        try await go("launched") { device.launches.count == count && device.openHandlers == 0 }
    }

    /// A file of that many bytes.
    func photo(_ count: Int) throws -> String {
        let file = temporary.path("photo-\(count).jpg")
        try Data((0..<count).map { UInt8(truncatingIfNeeded: $0 &* 31) }).write(to: URL(fileURLWithPath: file))
        return file
    }

    /// What a person sees in the notification center.
    var notifications: [String] { UNUserNotificationCenter.current().shown.map(\.content.title) }

    /// How often a request reached the server whole.
    func arrivals(_ method: String) -> Int { device.network.requests.count { $0.request.httpMethod == method } }

    /// What holds at the end of every story.
    func end() async {
        #expect(device.violations.isEmpty)
        #expect(device.openHandlers == 0)
        if process != nil { await die() }
    }
}
