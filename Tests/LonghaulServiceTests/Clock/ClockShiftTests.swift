import Glibc
import LonghaulClient
import LonghaulCore
import LonghaulIPC
import TestSupport
import Testing

/// Between the submission of a task and its start time, the clock is set by hours, and the service may be killed.
@Suite(
    .timeLimit(.minutes(5)), .enabled(if: Product.missing == nil, "\(Product.missing ?? "")"),
    .enabled(if: SetClock.missing == nil, "\(SetClock.missing ?? "")"))
struct ClockShiftTests {
    private static let session = SessionID("org.example.storms")!
    private static let noon = "org.example.noon"
    private static let start = WallTime(seconds: 1_792_836_000)

    private let product: Product
    private let clock: SetClock
    private let log: ChildProcess

    init() async throws {
        product = try Product()
        clock = try await SetClock(in: product.home, at: Self.start)
        try product.home.write([], to: "work/log")
        try product.home.write(Array("return".utf8), to: "work/mode")
        log = try ChildProcess(product.call("TaskSample"), following: product.home.path("work/log"))
    }

    /// An app submits a task for an hour later, and exits.
    private func schedule() async throws {
        let (log, mode) = (product.home.path("work/log"), product.home.path("work/mode"))
        var call = product.call("TaskSample", [log, mode, "--schedule", "\(Self.session)", "3600"])
        call.environment.merge(clock.variables) { $1 }
        #expect(try await call.run().ending == .exited(0))
    }

    /// Sets the clock to a number of hours after the start, with or without a running service.
    private func set(
        hours: Int64, _ service: RunningService, isKilled: Bool
    ) async throws -> (RunningService, BackgroundTaskStatus?) {
        var service = service
        if isKilled {
            service.process.signal(SIGKILL)
            try await service.process.waitForEnd()
        }
        try clock.set(to: Self.start + .seconds(hours * 3_600))
        if isKilled { service = try await RunningService(in: product, variables: clock.variables) }
        let connection = try await service.connect()
        return (service, try await connection.tasks(after: nil, in: Self.session).tasks.first)
    }

    @Test(arguments: [false, true]) func theTaskRunsOnceAtItsDateWhereverTheClockWasBefore(isKilled: Bool) async throws
    {
        var service = try await RunningService(in: product, variables: clock.variables)
        try await schedule()
        for hours in [-5, 0, -48] as [Int64] {
            let task: BackgroundTaskStatus?
            (service, task) = try await set(hours: hours, service, isKilled: isKilled)
            #expect(task?.hold == .date && task?.runs == 0, "\(hours) hours after the beginning")
        }
        (service, _) = try await set(hours: 5, service, isKilled: isKilled)
        try await log.waitForOutput(containing: "left")
        for hours in [-5, 0, 1, 30] as [Int64] {
            let task: BackgroundTaskStatus?
            (service, task) = try await set(hours: hours, service, isKilled: isKilled)
            #expect(task?.last?.outcome == .succeeded && task?.request == nil && task?.runs == 1, "\(hours) hours")
        }
        #expect(log.output.split(separator: "\n").count { $0.hasPrefix("woken") } == 1, "\(log.output)")
    }

    private func waitForLog(for count: Int = 1, _ line: String) async throws {
        try await log.waitForOutput(for: "\(count) × \(line)") { output in
            output.split(separator: "\n").count { $0.hasPrefix(line) } >= count ? () : nil
        }
    }

    /// The documented program: it submits at each launch, before it runs the task of the launch.
    @Test func taskSubmittedAtEachLaunchRunsWhenDueOrForced() async throws {
        let variables = clock.variables.merging(["TZ": "UTC"]) { $1 }
        let service = try await RunningService(in: product, variables: variables)
        let (log, mode) = (product.home.path("work/log"), product.home.path("work/mode"))
        var call = product.call("TaskSample", [log, mode, "--daily", "\(Self.session)", "12"])
        call.environment.merge(variables) { $1 }
        #expect(try await call.run().ending == .exited(0))
        // It dies before it runs anything, and is started again.
        try product.home.write(Array("die".utf8), to: "work/mode")
        let noon = WallTime(seconds: Self.start.seconds / 86_400 * 86_400 + 12 * 3_600)
        // The service notices the new time with the next call.
        let connection = try await service.connect()
        try clock.set(to: noon + .seconds(60))
        _ = try await connection.tasks(after: nil, in: Self.session)
        try await waitForLog(for: 2, "launched \(Self.noon)")
        try product.home.write(Array("return".utf8), to: "work/mode")
        try await waitForLog("left")
        try clock.set(to: noon + .seconds(86_400 + 60))
        _ = try await connection.tasks(after: nil, in: Self.session)
        try await waitForLog(for: 2, "left")
        let force = product.call("longhaul", ["tasks", "run", Self.noon, "--session", "\(Self.session)"])
        #expect(try await force.run().ending == .exited(0))
        try await waitForLog(for: 3, "left")
        let began = self.log.output.split(separator: "\n").filter { $0.hasPrefix("began") }
        #expect(began == ["began 1 try 1 return", "began 2 try 1 return", "began 3 try 1 return"])
        let task = try #require(try await connection.tasks(after: nil, in: Self.session).tasks.first)
        #expect(task.runs == 3 && task.hold == .date && task.nextDate == noon + .seconds(2 * 86_400))
    }

    /// The start time comes without any request to the service before it.
    @Test func aServiceThatSleepsUntilTheDateWakesAtIt() async throws {
        let service = try await RunningService(in: product, variables: clock.variables)
        try await schedule()
        _ = try await set(hours: 1, service, isKilled: false)
        try clock.set(to: Self.start + .seconds(3_598))
        try await log.waitForOutput(containing: "returned 1")
    }
}
