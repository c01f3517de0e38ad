import Testing

@testable import LonghaulCore

/// Changes of what was asked for, while a transfer waits.
@Suite struct AdjustingTests {
    private func adjustment(_ change: (inout TransferAdjustment) -> Void) -> TransferAdjustment {
        var adjustment = TransferAdjustment()
        change(&adjustment)
        return adjustment
    }

    private func refusal(_ world: inout MachineFixture, _ change: (inout TransferAdjustment) -> Void) -> FailureCode? {
        let moment = Moment(now: world.now, random: 1, bootID: "boot-1")
        let before = world.machine.record
        let refusal = world.machine.handle(.adjusted(adjustment(change)), at: moment).refusal
        if refusal != nil { #expect(world.machine.record == before, "a refusal changes nothing") }
        return refusal?.code
    }

    @Test func aDateIsSetMovedAndLifted() {
        var world = MachineFixture.download()
        for hours in [2, 5] {
            let date = world.now + .seconds(hours * 3_600)
            world.feed(.adjusted(adjustment { $0.earliestBeginDate = date }))
            guard case .waiting(let waiting) = world.state else {
                Issue.record("it does not wait")
                return
            }
            #expect(waiting.reason == .notBefore && waiting.until == date)
            #expect(world.facts.deadline == date + .seconds(604_800))
        }
        world.feed(.adjusted(adjustment { $0.earliestBeginDate = MachineFixture.start }))
        #expect(world.machine.record.waits(for: .turn))
        world.feed(.turnGranted)
        #expect(refusal(&world) { $0.earliestBeginDate = .init(seconds: 1) } == .invalidState)
    }

    @Test func patienceIsChangedAtAnyTime() {
        var world = MachineFixture.download { $0.options.progressTimeout = .seconds(5) }
        world.feed(.turnGranted)
        let before = world.machine.record
        world.now = world.now + .seconds(50)
        world.feed(
            .adjusted(
                adjustment {
                    $0.retryLimit = 2
                    $0.timeoutIntervalForResource = .seconds(100)
                    $0.progressTimeout = .zero
                }))
        let options = world.machine.record.spec.options
        #expect(options.retryLimit == 2 && options.progressTimeout == nil)
        #expect(world.facts.deadline == world.now + .seconds(100))
        #expect(world.machine.record.history(since: before)?.event == "changed")
        #expect(adjustment { $0.retryLimit = -1 }.refusal != nil)
        #expect(adjustment { $0.timeoutIntervalForResource = .zero }.refusal != nil)
    }

    @Test func theGroupIsAnotherOneUntilTheEnd() {
        var world = MachineFixture.download { $0.options.group = "films" }
        #expect(refusal(&world) { $0.group = "later" } == nil)
        world.feed(.turnGranted)
        #expect(refusal(&world) { $0.group = "" } == nil && world.machine.record.spec.options.group.isEmpty)
        world.feed(.command(.cancel))
        #expect(refusal(&world) { $0.group = "films" } == .invalidState)
    }

    @Test func whatCannotBeIsRefusedWhole() {
        var world = MachineFixture.download()
        #expect(
            refusal(&world) {
                $0.priority = 7
                $0.destination = .init(directory: "relative", fileName: nil)
            } == .invalidArgument)
        var upload = MachineFixture.upload("PUT")
        #expect(refusal(&upload) { $0.destination = .init(directory: "/tmp", fileName: nil) } == .invalidState)
        #expect(refusal(&upload) { $0.priority = 7 } == nil && upload.machine.record.priority == 7)
    }
}

extension TransferRecord {
    fileprivate func waits(for reason: Waiting.Reason) -> Bool {
        if case .waiting(let waiting) = state { waiting.reason == reason } else { false }
    }
}
