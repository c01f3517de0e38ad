import LonghaulCommand
import LonghaulCore

/// Several stored values, each of them optional, and the times at which policies evaluate them.
struct PolicyInput: WireMessage {
    var task = Samples.taskRecord
    var throttle = Samples.throttle
    var taskSettings = BackgroundTaskSettings()
    var wake = WakeRegistration(.systemdUnit("a.service"))
    var wakeRecord = Samples.wakeRecord
    var slot = Samples.slot
    var usage = BudgetUsage(day: 20_000, bytesOfDay: 5, month: 24_000, bytesOfMonth: 9)
    var settings = Samples.settings
    var rules = SessionRules(conditions: ConditionRules(hours: TimeWindow(from: 60, to: 120)))
    var events: [UInt8] = []
    var now = Samples.now

    init() {}

    func encode(into writer: inout WireWriter) {
        writer.message(task, at: 1)
        writer.message(throttle, at: 2)
        writer.message(taskSettings, at: 3)
        writer.message(wake, at: 4)
        writer.message(wakeRecord, at: 5)
        writer.message(slot, at: 6)
        writer.message(usage, at: 7)
        writer.message(settings, at: 8)
        writer.message(rules, at: 9)
        writer.data(events, at: 10)
        writer.time(now, at: 11)
    }

    static func decoded(from reader: inout WireReader) throws(WireError) -> Self { try Self(from: &reader) }

    init(from reader: inout WireReader) throws(WireError) {
        while let field = try reader.nextField() {
            switch field {
            case 1: task = try reader.message()
            case 2: throttle = try reader.message()
            case 3: taskSettings = try reader.message()
            case 4: wake = try reader.message()
            case 5: wakeRecord = try reader.message()
            case 6: slot = try reader.message()
            case 7: usage = try reader.message()
            case 8: settings = try reader.message()
            case 9: rules = try reader.message()
            case 10: events = try reader.data()
            case 11: now = try reader.time()
            default: try reader.skip()
            }
        }
    }

    /// Returns inputs with random events; `change` selects the values that a target reads.
    static func examples(_ seed: UInt64) -> [[UInt8]] {
        var dice = Dice(seed: seed)
        return (0..<6).map { _ in
            var input = PolicyInput()
            input.events = (0..<32).map { _ in dice.byte() }
            return input.wireBytes
        }
    }

    /// The zones with the largest distance.
    static let zones = [0, -12, 14].map { hours in TimeZoneRules { _ in hours * 3_600 } }
}

enum TaskFuzzing {
    static func run(_ bytes: [UInt8]) {
        guard let input = try? PolicyInput.decoded(wireBytes: bytes) else { return }
        var dice = Dice(input.events)
        for zone in PolicyInput.zones { live(input, &dice, zone) }
        throttle(input)
        wake(input)
        notify(input)
    }

    private static func live(_ input: PolicyInput, _ dice: inout Dice, _ zone: TimeZoneRules) {
        var machine = BackgroundTaskMachine(input.task)
        var now = input.now
        for _ in 0..<32 {
            let number = machine.record.run?.number ?? dice.number()
            let events: [BackgroundTaskMachine.Event] = [
                .submitted(Samples.task), .cancelled, .forced, .overran, .lost(bootID: "b"), .clockChanged,
                .returned(TaskReturn(claim: TaskClaim(identifier: "a", number: number), outcome: .succeeded)),
            ]
            let canBegin = machine.record.run == nil && machine.record.nextRequest != nil
            if canBegin, dice.below(2) == 0 {
                _ = machine.handle(.began(input.taskSettings, bootID: "b"), at: now, in: zone)
            } else {
                _ = machine.handle(dice.one(of: events), at: now, in: zone)
            }
            guard (try? BackgroundTaskRecord.decoded(wireBytes: machine.record.wireBytes)) == machine.record else {
                preconditionFailure("the stored record of a task cannot be decoded: \(machine.record)")
            }
            now = dice.below(8) == 0 ? WallTime(microseconds: dice.number()) : now + .seconds(Int64(dice.byte()))
            if let run = machine.record.run { now = max(now, run.startedAt + run.budget + run.grace) }
            if dice.isUsedUp { return }
        }
    }

    private static func throttle(_ input: PolicyInput) {
        var throttle = ThrottlePolicy.recordStrike(input.throttle, input.taskSettings, at: input.now)
        throttle = ThrottlePolicy.recordStrike(throttle, input.taskSettings, at: input.now)
        _ = ThrottlePolicy.holdEnd(throttle, input.taskSettings, at: input.now)
        _ = ThrottlePolicy.recordReturn(input.throttle)
        _ = TimeText.stamp(input.task.pending?.date ?? input.now)
    }

    private static func wake(_ input: PolicyInput) {
        let record = WakePolicy.recordWake(input.wakeRecord, input.wake.backoff, at: input.now)
        for record in [record, input.wakeRecord, WakePolicy.recordAcknowledgement(record)] {
            let situation = WakePolicy.Situation(
                registration: input.wake, record: record, occasion: input.task.pending?.date ?? input.now,
                isAttached: false, leftAt: input.throttle.until ?? input.now, isWaking: false)
            _ = WakePolicy.decide(situation, now: input.now)
        }
    }

    private static func notify(_ input: PolicyInput) {
        let settings = NotificationSettings(appName: "a")
        guard let headline = NotificationPolicy.headline(input.slot.tally, Set(NotificationKind.allCases)) else {
            return
        }
        for kind in NotificationKind.allCases {
            let progress = NotificationContent.Progress(millionths: input.usage.bytesOfDay)
            let content = NotificationContent(headline, kind, input.slot.tally, settings, progress)
            _ = NotificationForm(content, capabilities: ["body"], isUpdate: true)
        }
    }

    static var examples: [[UInt8]] { PolicyInput.examples(11) }
}

enum SettingsFuzzing {
    static func run(_ bytes: [UInt8]) {
        guard let input = try? PolicyInput.decoded(wireBytes: bytes) else { return }
        let (traffic, rules) = (input.settings.traffic, [input.rules.conditions])
        _ = (traffic.refusal, input.rules.refusal)
        for zone in PolicyInput.zones {
            _ = ConditionPolicy.decide(rules, Conditions(), at: input.now, in: zone)
            _ = ConditionPolicy.closing(rules, after: input.now, in: zone)
            _ = traffic.nextChange(after: input.now, in: zone)
            share(traffic.rate(at: input.now, in: zone), input)
        }
        _ = traffic.timetable.map(RulesText.text)
        _ = TimeText.stamp(input.now)
    }

    private static func share(_ rate: Int64?, _ input: PolicyInput) {
        var dice = Dice(input.events)
        let claims = (0..<dice.below(6)).map { _ in
            FairShare.Claim(
                weight: max(0, Int(dice.number())), limit: dice.number() & .max, used: dice.number() & .max,
                had: dice.number() & .max)
        }
        _ = FairShare.divide(rate, among: claims)
    }

    static var examples: [[UInt8]] { PolicyInput.examples(12) }
}

enum BudgetFuzzing {
    static func run(_ bytes: [UInt8]) {
        guard let input = try? PolicyInput.decoded(wireBytes: bytes) else { return }
        let budget = input.settings.traffic.budget
        var dice = Dice(input.events)
        for zone in PolicyInput.zones {
            var usage = input.usage
            for _ in 0..<8 {
                _ = usage.remaining(of: budget)
                _ = usage.release(of: budget, in: zone)
                usage.count(dice.number())
                guard (try? BudgetUsage.decoded(wireBytes: usage.wireBytes)) == usage else {
                    preconditionFailure("the stored usage of a budget cannot be decoded: \(usage)")
                }
                usage.turn(at: dice.below(2) == 0 ? input.now : WallTime(microseconds: dice.number()), in: zone)
            }
        }
    }

    static var examples: [[UInt8]] { PolicyInput.examples(13) }
}
