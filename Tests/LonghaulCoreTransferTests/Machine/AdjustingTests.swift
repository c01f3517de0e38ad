import Testing

@testable import LonghaulCore

/// Changes of a transfer's spec while it waits.
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
        #expect(refusal(&world) { $0.group = "" } == nil && world.machine.record.spec.options.group == nil)
        world.feed(.command(.cancel))
        #expect(refusal(&world) { $0.group = "films" } == .invalidState)
    }

    @Test func waitingTransferGetsConditionsAndPredecessor() {
        var world = MachineFixture.download()
        let first = TransferID(high: 1, low: 9)
        world.feed(
            .adjusted(
                adjustment {
                    $0.conditions = ConditionRules(requiresExternalPower: true)
                    $0.predecessor = .init(first, followsFailure: true)
                    $0.segments = 2
                    $0.notifications = .always
                    $0.wakesAppWhenFinished = true
                }))
        let options = world.machine.record.spec.options
        #expect(options.conditions.requiresExternalPower && options.segments == 2 && options.notifications == .always)
        #expect(options.predecessor == first && options.followsFailure && options.wakesAppWhenFinished)
        #expect(world.machine.record.waits(for: .predecessor))
        world.feed(.adjusted(adjustment { ($0.predecessor, $0.segments) = (.init(nil), 0) }))
        #expect(world.machine.record.waits(for: .turn) && world.machine.record.spec.options.segments == nil)
        world.feed(.turnGranted)
        #expect(refusal(&world) { $0.predecessor = .init(first) } == .invalidState)
        #expect(refusal(&world) { $0.predecessor = .init(nil) } == nil)
        #expect(adjustment { $0.segments = -1 }.refusal != nil && adjustment { $0.segments = 1_000 }.refusal != nil)
        #expect(adjustment { $0.conditions = ConditionRules(leastBatteryLevel: 0) }.refusal != nil)
    }

    @Test func removedStartTimeIsNone() {
        var world = MachineFixture.download { $0.options.earliestBeginDate = MachineFixture.start + .seconds(60) }
        world.feed(.adjusted(adjustment { $0.earliestBeginDate = TransferAdjustment.noBeginDate }))
        #expect(world.machine.record.waits(for: .turn))
        #expect(world.machine.record.spec.options.earliestBeginDate == nil)
    }

    /// Each option, another value of it, and whether it can be changed after the submission.
    private static let options: [String: (isFixed: Bool, change: @Sendable (inout TransferOptions) -> Void)] = [
        "key": (true, { $0.key = "k" }), "keyConflict": (true, { $0.keyConflict = .append }),
        "group": (false, { $0.group = "g" }), "priority": (false, { $0.priority = 7 }),
        "isAttended": (false, { $0.isAttended = true }),
        "earliestBeginDate": (false, { $0.earliestBeginDate = WallTime(seconds: 2_000_000_000) }),
        "predecessor": (false, { $0.predecessor = TransferID(high: 1, low: 9) }),
        "followsFailure": (
            false, { ($0.predecessor, $0.followsFailure) = (TransferID(high: 1, low: 9), true) }
        ),
        "timeoutIntervalForResource": (false, { $0.timeoutIntervalForResource = .seconds(9) }),
        "progressTimeout": (false, { $0.progressTimeout = .seconds(9) }), "retryLimit": (false, { $0.retryLimit = 2 }),
        "unknownHostRetryLimit": (true, { $0.unknownHostRetryLimit = 1 }),
        "rateLimit": (false, { $0.rateLimit = 9 }), "segments": (false, { $0.segments = 2 }),
        "mirrors": (true, { $0.mirrors = ["http://b.test/"] }), "idempotencyKey": (true, { $0.idempotencyKey = "i" }),
        "responseLimit": (true, { $0.responseLimit = 1 }),
        "credential": (true, { $0.credential = "photos" }),
        "credentialIsURL": (true, { $0.credentialKind = .url }),
        "wakesAppWhenFinished": (false, { $0.wakesAppWhenFinished = true }),
        "conditions": (false, { $0.conditions = ConditionRules(allowsRoaming: false) }),
        "notifications": (false, { $0.notifications = .never }),
        "joinsEqualBefore": (true, { $0.joinsEqualBefore = WallTime(seconds: 1) }),
        "restartsEndedBefore": (true, { $0.restartsEndedBefore = WallTime(seconds: 1) }),
    ]

    @Test func everyOptionChangesOrIsFixed() throws {
        let names = Mirror(reflecting: TransferOptions()).children.compactMap(\.label)
        #expect(Set(names) == Set(Self.options.keys))
        for (name, option) in Self.options {
            var world = MachineFixture.download()
            let before = TransferOptions(of: world.machine.record)
            var wanted = before
            option.change(&wanted)
            #expect(wanted != before, "\(name)")
            do throws(TransferFailure) {
                let adjustment = try TransferAdjustment(from: before, to: wanted)
                #expect(!option.isFixed, "\(name)")
                world.feed(.adjusted(adjustment))
                #expect(TransferOptions(of: world.machine.record) == wanted, "\(name)")
                world.feed(.adjusted(try TransferAdjustment(from: wanted, to: before)))
                if name != "isAttended" { #expect(TransferOptions(of: world.machine.record) == before, "\(name)") }
            } catch {
                #expect(option.isFixed || name == "isAttended", "\(name)")
                #expect(error.code == .invalidArgument)
                let isPrivate = ["unknownHostRetryLimit", "joinsEqualBefore", "restartsEndedBefore"].contains(name)
                #expect(isPrivate || error.message.contains(name), "\(error)")
            }
        }
    }

    @Test func invalidAdjustmentIsRefusedWhole() {
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
