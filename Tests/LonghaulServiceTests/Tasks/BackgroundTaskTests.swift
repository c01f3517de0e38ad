import Glibc
import LonghaulClient
import LonghaulCore
import LonghaulIPC
import TestSupport
import Testing

/// Real processes: the service, and `TaskSample`, which it starts.
@Suite(.timeLimit(.minutes(6)), .enabled(if: Product.missing == nil, "\(Product.missing ?? "")"))
struct BackgroundTaskTests {
    private static let session = SessionID("org.example.storms")!
    private static let noon = "org.example.noon"
    private let product: Product
    private let log: ChildProcess

    init() throws {
        product = try Product()
        try product.home.write([], to: "work/log")
        log = try ChildProcess(product.call("TaskSample"), following: product.home.path("work/log"))
    }

    private var app: [String] {
        [Product.directory + "/TaskSample", product.home.path("work/log"), product.home.path("work/mode")]
    }

    private func set(_ mode: String) throws { try product.home.write(Array(mode.utf8), to: "work/mode") }

    private func wait(for count: Int = 1, _ line: String) async throws {
        try await log.waitForOutput(for: "\(count) × \(line)") { output in
            output.split(separator: "\n").count { $0.hasPrefix(line) } >= count ? () : nil
        }
    }

    private func lines(_ beginning: String) -> [String] {
        log.output.split(separator: "\n").map(String.init).filter { $0.hasPrefix(beginning) }
    }

    private func register(_ connection: ServiceConnection, _ change: (inout BackgroundTaskSettings) -> Void = { _ in })
        async throws
    {
        let backoff = WakeBackoff(first: .seconds(1), longest: .seconds(4))
        try await connection.setWake(WakeRegistration(.command(app), backoff: backoff), of: Self.session)
        var settings = BackgroundTaskSettings()
        settings.throttleFirst = .milliseconds(200)
        settings.throttleLongest = .seconds(60)
        change(&settings)
        try await connection.setTaskSettings(settings, of: Self.session)
    }

    private func task(
        _ connection: ServiceConnection, until fits: (BackgroundTaskStatus) -> Bool
    ) async throws -> BackgroundTaskStatus {
        while true {
            let page = try await connection.tasks(after: nil, in: Self.session)
            if let task = page.tasks.first(where: { $0.identifier == Self.noon }), fits(task) { return task }
            try await Task.sleep(for: .milliseconds(20))
        }
    }

    private func now() -> WallTime { WallTime(seconds: Int64(time(nil))) }

    @Test func aDeadAppRunsItsHandlerAtTheDateOnce() async throws {
        let service = try await RunningService(in: product)
        try set("return")
        let scheduling = try ChildProcess(
            product.call("TaskSample", Array(app.dropFirst()) + ["--schedule", "\(Self.session)", "1"]))
        #expect(try await scheduling.waitForEnd() == .exited(0))
        try await wait("left")
        #expect(lines("woken") == ["woken background-task \(Self.noon)"])
        let connection = try await service.connect()
        let task = try await task(connection) { $0.last != nil }
        #expect(task.last?.outcome == .succeeded && task.request == nil && task.runs == 1)
        #expect(lines("began").count == 1)
        let status = try await connection.wakeStatus(of: Self.session)
        #expect(status.record.unanswered == 0 && status.hold == .nothingToTell)
    }

    @Test func aServiceThatIsKilledBeforeTheDateRunsTheTaskWhenItIsBack() async throws {
        try set("return")
        // Late enough for a busy machine to kill the service before it.
        let date = now() + .seconds(8)
        do {
            let service = try await RunningService(in: product)
            let connection = try await service.connect()
            try await register(connection)
            let request = BackgroundTaskRequest.appRefresh(Self.noon, earliestBeginDate: date)
            try await connection.submitTask(request, to: Self.session)
            service.process.signal(SIGKILL)
            _ = try await service.process.waitForEnd()
        }
        while now() <= date { try await Task.sleep(for: .milliseconds(50)) }
        #expect(lines("woken").isEmpty)
        let service = try await RunningService(in: product)
        try await wait("left")
        let connection = try await service.connect()
        #expect(try await task(connection) { $0.last != nil }.last?.outcome == .succeeded)
        #expect(lines("began").count == 1)
    }

    @Test func aHandlerThatCrashesIsTriedThreeTimesMoreAndMoreSlowly() async throws {
        let service = try await RunningService(in: product)
        let connection = try await service.connect()
        try set("crash")
        try await register(connection)
        try await connection.submitTask(.appRefresh(Self.noon), to: Self.session)
        try await wait(for: 3, "began")
        let task = try await task(connection) { $0.run == nil && $0.runs == 3 }
        #expect(task.last?.outcome == .lost && task.request == nil)
        #expect(lines("began") == (1...3).map { "began \($0) try \($0) crash" })
        #expect(try await connection.tasks(after: nil, in: Self.session).throttle.strikes == 3)
    }

    @Test func aHandlerThatNeverReturnsIsCancelledAndItsAppThrottledAndNoOther() async throws {
        let service = try await RunningService(in: product)
        let connection = try await service.connect()
        try set("hang")
        try await register(connection) {
            $0.refreshBudget = .milliseconds(300)
            $0.grace = .milliseconds(200)
            $0.throttleFirst = .seconds(60)
        }
        try await connection.submitTask(.appRefresh(Self.noon), to: Self.session)
        // It does not keep its process running.
        try await wait("left")
        #expect(lines("cancelled") == ["cancelled 1 budgetExpired"])
        #expect(try await task(connection) { $0.last != nil }.last?.outcome == .overran)
        try await connection.submitTask(.appRefresh(Self.noon), to: Self.session)
        #expect(try await task(connection) { _ in true }.hold == .throttled)
        let list = try ChildProcess(product.call("longhaul", ["tasks", "list", "--session", "\(Self.session)"]))
        #expect(try await list.waitForEnd() == .exited(0))
        #expect(list.output.contains("Throttled until") && list.output.contains("exceeded its time limit"))
        // Another app's task runs meanwhile.
        let other = SessionID("org.example.other")!
        let stream = connection.runTasks(TaskRunner(identifiers: ["fine"]), of: other)
        try await connection.submitTask(.appRefresh("fine"), to: other)
        while try await stream.next()?.runs.isEmpty == true {}
        // A forced run happens.
        try set("return")
        let run = try ChildProcess(
            product.call("longhaul", ["tasks", "run", Self.noon, "--session", "\(Self.session)"]))
        #expect(try await run.waitForEnd() == .exited(0))
        try await wait("returned 2")
    }

    @Test(.onEachTransport) func requestOutlivesCancelledHandlerAndItsResponseLaunchesApp() async throws {
        let latch = Latch()
        var reply = Reply.status(200)
        reply.body = Array("storm".utf8)
        reply.latch = latch
        let server = try NastyServer(routes: ["/weather": Route(reply)])
        let service = try await RunningService(in: product)
        let connection = try await service.connect()
        try set("fetch " + server.url("/weather"))
        try await register(connection) { $0.refreshBudget = .seconds(3) }
        try await connection.submitTask(.appRefresh(Self.noon), to: Self.session)
        try await latch.waitForArrivals()
        try await wait("left")
        #expect(lines("no answer") == ["no answer: interrupted"])
        #expect(lines("cancelled") == ["cancelled 1 budgetExpired"])
        #expect(try await task(connection) { $0.last != nil }.last?.outcome == .expired)
        latch.open()
        try await wait("promoted answer 200 storm")
        try await wait(for: 2, "left")
        #expect(server.requests(to: "/weather").count == 1, "one request on the wire")
        // The held response was sent: later requests go to the server.
        try await connection.submitTask(.appRefresh(Self.noon), to: Self.session)
        try await wait("answer 200 storm")
        #expect(server.requests(to: "/weather").count == 2)
    }

    @Test(.onEachTransport) func theServiceMayBeKilledWhileAHandlerRuns() async throws {
        let latch = Latch()
        var reply = Reply.status(200)
        reply.latch = latch
        let server = try NastyServer(routes: ["/weather": Route(reply)])
        let url = server.url("/weather")
        try set("fetch " + url)
        do {
            let service = try await RunningService(in: product)
            let connection = try await service.connect()
            try await register(connection)
            try await connection.submitTask(.appRefresh(Self.noon), to: Self.session)
            try await latch.waitForArrivals()
            service.process.signal(SIGKILL)
            _ = try await service.process.waitForEnd()
        }
        latch.open()
        // The app restarts the service, which sends the request again, because it may be repeated.
        try await wait("returned 1")
        let connection = try await ServiceConnection.open(startsService: true, environment: product.environment)
        #expect(try await task(connection) { $0.last != nil }.last?.outcome == .succeeded)
        #expect(lines("began").count == 1)
        try await connection.stopService()
    }
}
