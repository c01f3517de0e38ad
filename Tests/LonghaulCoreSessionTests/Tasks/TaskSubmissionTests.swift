import LonghaulCore
import Testing

/// Requests that an app repeats at each launch, before it runs the task of the launch.
@Suite struct TaskSubmissionTests {
    /// 2026-01-01 00:00 UTC, a Thursday.
    private static let start = WallTime(seconds: 1_767_225_600)
    private static let daily = BackgroundTaskRequest.appRefresh("a", repeats: .daily(hour: 12))

    private static func hours(_ count: Int64) -> WallTime { start + .seconds(3_600 * count) }

    /// The pending request at 13:00, when the app is launched.
    enum Before: CaseIterable {
        case daily, once, forcedDaily, forcedOnce, lost, lostAndDue, lostAndForced

        var isForced: Bool { self == .forcedDaily || self == .forcedOnce || self == .lostAndForced }

        func machine() -> BackgroundTaskMachine {
            var machine = BackgroundTaskMachine(BackgroundTaskRecord(identifier: "a"))
            func feed(_ event: BackgroundTaskMachine.Event, at hour: Int64) {
                _ = machine.handle(event, at: hours(hour), in: .utc)
            }
            func loseRun(at hour: Int64) {
                feed(.began(BackgroundTaskSettings(), bootID: "boot"), at: hour)
                feed(.lost(bootID: "boot"), at: hour)
            }
            switch self {
            case .daily: feed(.submitted(TaskSubmissionTests.daily), at: 0)
            case .once: feed(.submitted(.appRefresh("a", earliestBeginDate: hours(12))), at: 0)
            case .forcedDaily:
                feed(.submitted(.appRefresh("a", repeats: .daily(hour: 20))), at: 0)
                feed(.forced, at: 13)
            case .forcedOnce:
                feed(.submitted(.appRefresh("a", earliestBeginDate: hours(500))), at: 0)
                feed(.forced, at: 13)
            case .lost:
                feed(.submitted(.appRefresh("a")), at: 0)
                loseRun(at: 1)
            case .lostAndDue:
                feed(.submitted(.appRefresh("a")), at: 0)
                loseRun(at: 1)
                feed(.submitted(TaskSubmissionTests.daily), at: 2)
            case .lostAndForced:
                feed(.submitted(.appRefresh("a")), at: 0)
                loseRun(at: 1)
                feed(.forced, at: 13)
            }
            return machine
        }
    }

    /// The app's requests, and the times of their automatic runs.
    static let requests: [(request: BackgroundTaskRequest, next: WallTime?)] = [
        (daily, hours(36)), (.appRefresh("a", repeats: .daily(hour: 6)), hours(30)),
        (.processing("a", repeats: .daily(hour: 12)), hours(36)),
        (.appRefresh("a", earliestBeginDate: hours(50)), hours(50)), (.appRefresh("a"), nil),
    ]

    @Test(arguments: Before.allCases, requests.indices)
    func dueRunIsKeptAndDoneOnce(_ before: Before, _ index: Int) throws {
        let (request, next) = Self.requests[index]
        var machine = before.machine()
        // The app dies before it runs anything, and is launched again; another process reads the record.
        for _ in 0..<3 {
            _ = machine.handle(.submitted(request), at: Self.hours(13), in: .utc)
            machine = BackgroundTaskMachine(try BackgroundTaskRecord.decoded(wireBytes: machine.record.wireBytes))
            let date = try #require(machine.record.date)
            #expect(date <= Self.hours(13))
            #expect(machine.record.isForced == before.isForced && machine.record.nextRequest == request)
        }
        _ = machine.handle(.began(BackgroundTaskSettings(), bootID: "boot"), at: Self.hours(13), in: .utc)
        let run = try #require(machine.record.run)
        // A repeated request for as soon as possible is another occasion.
        #expect(run.attempt == (before == .lost && next != nil ? 2 : 1))
        #expect(run.request == request && !machine.record.isForced)
        let report = TaskReturn(claim: TaskClaim(identifier: "a", number: run.number), outcome: .succeeded)
        _ = machine.handle(.returned(report), at: Self.hours(13), in: .utc)
        #expect(machine.record.owed == nil && machine.record.date == next)
    }

    @Test(arguments: requests.indices) func requestWhoseTimeHasNotComeIsReplaced(_ index: Int) {
        let request = Self.requests[index].request
        var machine = BackgroundTaskMachine(BackgroundTaskRecord(identifier: "a"))
        _ = machine.handle(
            .submitted(.appRefresh("a", earliestBeginDate: Self.hours(40))), at: Self.hours(13), in: .utc)
        _ = machine.handle(.submitted(request), at: Self.hours(13), in: .utc)
        var fresh = BackgroundTaskMachine(BackgroundTaskRecord(identifier: "a"))
        _ = fresh.handle(.submitted(request), at: Self.hours(13), in: .utc)
        #expect(machine == fresh)
    }

    /// The late report of a lost run does not concern a later occasion, or a forced run.
    @Test(arguments: [Before.lostAndDue, .lostAndForced]) func lateReportKeepsAnotherRunOwed(_ before: Before) {
        var machine = before.machine()
        _ = machine.handle(.submitted(Self.daily), at: Self.hours(13), in: .utc)
        let report = TaskReturn(claim: TaskClaim(identifier: "a", number: 1), outcome: .succeeded)
        #expect(machine.handle(.returned(report), at: Self.hours(13), in: .utc) == .good)
        #expect(machine.record.owed != nil && machine.record.last?.outcome == .succeeded)
    }

    @Test func forcedRunSurvivesALossDuringTheRunBefore() {
        var machine = Before.daily.machine()
        _ = machine.handle(.began(BackgroundTaskSettings(), bootID: "boot"), at: Self.hours(13), in: .utc)
        _ = machine.handle(.forced, at: Self.hours(13), in: .utc)
        _ = machine.handle(.submitted(Self.daily), at: Self.hours(13), in: .utc)
        _ = machine.handle(.lost(bootID: "boot"), at: Self.hours(13), in: .utc)
        #expect(machine.record.isForced && machine.record.date == Self.hours(13))
    }

    @Test func forcingALostRunKeepsTheRequestAfterIt() {
        var machine = Before.lost.machine()
        _ = machine.handle(
            .submitted(.appRefresh("a", earliestBeginDate: Self.hours(40))), at: Self.hours(13), in: .utc)
        _ = machine.handle(.forced, at: Self.hours(14), in: .utc)
        #expect(machine.record.isForced && machine.record.date == Self.hours(14))
        _ = machine.handle(.began(BackgroundTaskSettings(), bootID: "boot"), at: Self.hours(14), in: .utc)
        #expect(machine.record.pending?.date == Self.hours(40))
    }
}
