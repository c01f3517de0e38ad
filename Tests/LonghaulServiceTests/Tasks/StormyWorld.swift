import Glibc
import LonghaulClient
import LonghaulCore
import LonghaulIPC
import TestSupport

/// Stormy's environment: a settable clock, a weather server, a bus, and a screen with notifications. Stormy only runs
/// after it was started.
final class StormyWorld: Sendable {
    static let session = SessionID("io.longhaul.Stormy")!
    static let photo = Content(seed: 12, length: 300_000)

    let notifications: NotificationWorld
    let screen: NotificationScreen
    let server: NastyServer
    let clock: SetClock
    /// The growing file with the answers.
    let answers: ChildProcess

    var product: Product { notifications.wake.product }

    init(at date: WallTime) async throws {
        screen = try await NotificationScreen()
        notifications = try await NotificationWorld(display: screen.display)
        try await screen.showNotifications(of: notifications)
        let product = notifications.wake.product
        server = try NastyServer(routes: ["/album/*": Route(.status(201))])
        clock = try await SetClock(in: product.home, at: date)
        try product.home.write(Self.photo, to: "work/sky.jpg")
        try product.home.write([], to: "work/answers")
        answers = try ChildProcess(product.call("Stormy"), following: product.home.path("work/answers"))
    }

    /// The user starts Stormy, which exits.
    func launch() async throws -> ProgramCall.Result {
        let (photo, answers) = (product.home.path("work/sky.jpg"), product.home.path("work/answers"))
        var call = product.call("Stormy", [server.url("/weather"), server.url("/album"), photo, answers])
        call.environment.merge(variables) { $1 }
        return try await call.run()
    }

    func startService() async throws -> RunningService {
        try await RunningService(in: product, variables: variables)
    }

    private var variables: [String: String] { clock.variables.merging(["TZ": "Europe/Berlin"]) { $1 } }

    /// Sets the server's response, which is sent when `latch` is open.
    func forecast(_ text: String, held latch: Latch? = nil) {
        var reply = Reply.status(200, body: text + "\n")
        reply.latch = latch
        server.setRoute("/weather", Route(reply))
    }

    /// Sets the clock. The kernel does not notice, so a request wakes the service.
    func setClock(to date: WallTime, _ connection: ServiceConnection? = nil) async throws {
        try clock.set(to: date)
        _ = try await connection?.wakeStatus(of: Self.session)
    }

    /// Waits for a line with the answer, and returns all lines without their dates.
    @discardableResult
    func waitForAnswer(_ text: String) async throws -> [String] {
        try await answers.waitForOutput(containing: text)
        return answers.output.split(separator: "\n").map { $0.split(separator: " ").dropFirst().joined(separator: " ") }
    }

    /// Polls until the task matches the condition.
    @discardableResult
    func task(
        _ connection: ServiceConnection, until fits: (BackgroundTaskStatus) -> Bool
    ) async throws -> BackgroundTaskStatus {
        while true {
            let page = try await connection.tasks(after: nil, in: Self.session)
            if let task = page.tasks.first, fits(task) { return task }
            try await Task.sleep(for: .milliseconds(20))
        }
    }

    /// Stormy's process, if it is running.
    var stormy: Int32? {
        product.processes.first { id in
            var path = [CChar](repeating: 0, count: 4_096)
            let count = readlink("/proc/\(id)/exe", &path, path.count)
            return count > 0
                && String(decoding: path[..<count].map(UInt8.init(bitPattern:)), as: UTF8.self).hasSuffix("/Stormy")
        }
    }

    /// Waits until Stormy has exited, and nothing waits for it.
    func waitUntilGone(_ connection: ServiceConnection) async throws {
        while let id = stormy { try await product.waitForEnd(of: id) }
        while try await connection.wakeStatus(of: Self.session).isAttached {
            try await Task.sleep(for: .milliseconds(20))
        }
    }
}
