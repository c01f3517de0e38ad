import Testing

@testable import LonghaulCore

@Suite struct ConditionReviewTests {
    private static let metered = ConditionPolicy.Verdict.waiting(.metered, until: nil)

    @Test func allowedTransferStopsWaiting() {
        var world = MachineFixture.download()
        #expect(ConditionPolicy.Verdict.allowed.event(for: world.machine) == nil, "it waits for its turn")
        world.feed(.withheld(.metered, until: nil))
        #expect(ConditionPolicy.Verdict.allowed.event(for: world.machine) == .allowed)
        world.feed(.allowed)
        world.feed(.turnGranted)
        #expect(ConditionPolicy.Verdict.allowed.event(for: world.machine) == nil, "it runs already")
    }

    @Test func withheldTransferIsStopped() {
        var world = MachineFixture.download()
        world.feed(.turnGranted)
        #expect(Self.metered.event(for: world.machine) == .withheld(.metered, until: nil))
    }

    @Test func shortSleepDoesNotStopUnresumableDownload() {
        var world = MachineFixture.download()
        world.machine.record.state = .running(.receiving)
        world.machine.record.facts.download.validators = Validators(
            entityTag: "\"a\"", lastModified: nil, isSoft: false, total: 1_000)
        let sleep = ConditionPolicy.Verdict.waiting(.sleep, until: nil)
        #expect(sleep.event(for: world.machine) == .withheld(.sleep, until: nil))
        world.machine.record.facts.download.validators = nil
        #expect(sleep.event(for: world.machine) == nil)
        #expect(Self.metered.event(for: world.machine) == .withheld(.metered, until: nil))
    }

    @Test func alarmEventDependsOnRecordState() {
        var world = MachineFixture.download()
        #expect(TransferEvent.ofAlarm(world.machine.record, at: world.now) { false } == nil, "it is another one by now")
        #expect(TransferEvent.ofAlarm(world.machine.record, at: world.now) { true } == .starved)
        world.machine.record.state = .waiting(Waiting(.retry, since: world.now, until: world.now + .seconds(5)))
        #expect(TransferEvent.ofAlarm(world.machine.record, at: world.now + .seconds(4)) { false } == nil)
        #expect(TransferEvent.ofAlarm(world.machine.record, at: world.now + .seconds(5)) { true } == .due)
        #expect(TransferEvent.ofAlarm(world.machine.record, at: world.facts.deadline) { true } == .deadlinePassed)
        world.machine.record.state = .succeeded
        #expect(TransferEvent.ofAlarm(world.machine.record, at: world.facts.deadline) { true } == .recovered)
    }
}
