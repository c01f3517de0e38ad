import LonghaulCore

/// A transfer's record as stored, and the events after it, whose choices are drawn from bytes.
struct RecordInput: WireMessage {
    var spec = Samples.specs[0]
    var state = TransferState.paused
    var facts = Samples.facts
    var events: [UInt8] = []
    var now = Samples.now

    init() {}

    func encode(into writer: inout WireWriter) {
        writer.message(spec, at: 1)
        writer.message(state, at: 2)
        writer.message(facts, at: 3)
        writer.data(events, at: 4)
        writer.time(now, at: 5)
    }

    static func decoded(from reader: inout WireReader) throws(WireError) -> Self { try Self(from: &reader) }

    init(from reader: inout WireReader) throws(WireError) {
        while let field = try reader.nextField() {
            switch field {
            case 1: spec = try reader.message()
            case 2: state = try reader.message()
            case 3: facts = try reader.message()
            case 4: events = try reader.data()
            case 5: now = try reader.time()
            default: try reader.skip()
            }
        }
    }
}

enum RecordFuzzing {
    static func run(_ bytes: [UInt8]) {
        guard let input = try? RecordInput.decoded(wireBytes: bytes) else { return }
        let record = Samples.record(input.spec, input.state, input.facts)
        var life = Life(TransferMachine(record), now: input.now, Dice(input.events))
        life.feed(.recovered)
        for _ in 0..<96 where !life.dice.isUsedUp { life.go() }
        for spec in [input.spec, life.machine.record.spec] {
            _ = try? TransferRecord.accept(spec, id: record.id, at: input.now)
        }
    }

    static var examples: [[UInt8]] {
        let states: [TransferState] = [
            .waiting(Samples.waiting), .running(.receiving), .awaitingResponse, .paused, .cancelled,
            .failed(TransferFailure(.connectionLost, "It broke.")), .succeeded,
        ]
        var dice = Dice(seed: 7)
        return Samples.specs.flatMap { spec in
            states.map { state in
                var input = RecordInput()
                (input.spec, input.state) = (spec, state)
                input.events = (0..<48).map { _ in dice.byte() }
                return input.wireBytes
            }
        }
    }
}

/// A machine in a world that keeps the promises of the engine and the loop, whatever the numbers are.
struct Life {
    var machine: TransferMachine
    private var now: WallTime
    var dice: Dice
    private var queue = TurnQueue(limits: SessionLimits())
    private var meter = RateMeter()

    init(_ machine: TransferMachine, now: WallTime, _ dice: Dice) {
        self.machine = machine
        self.now = now
        self.dice = dice
    }

    /// Applies the next event, after setting the clock to any time.
    mutating func go() {
        let step = dice.byte()
        now = step < 250 ? now + .seconds(Int64(step)) : WallTime(microseconds: dice.number())
        feed(event())
    }

    mutating func feed(_ event: TransferEvent) {
        let before = machine.record
        _ = machine.handle(event, at: Moment(now: now, random: UInt64(dice.byte()) << 56, bootID: "b"))
        for task in machine.record.facts.cleanup { _ = machine.work(for: task) }
        inspect(since: before)
    }

    /// Performs the loop's operations on the record after each event.
    private mutating func inspect(since before: TransferRecord) {
        let record = machine.record
        guard (try? TransferFacts.decoded(wireBytes: record.facts.wireBytes)) == record.facts,
            (try? TransferState.decoded(wireBytes: record.state.wireBytes)) == record.state
        else { preconditionFailure("the stored facts or state cannot be decoded: \(record.state)") }
        _ = (record.history(since: before), record.mayLag(behind: before))
        let snapshot = TransferSnapshot(record)
        meter.update(snapshot.bytesDone, at: now)
        queue.add(
            TurnQueue.Entry(
                id: record.id, sequence: record.sequence, priority: record.turnPriority, host: "h",
                group: record.spec.options.groupName))
        queue.hold(host: "h", until: now + record.spec.options.timeoutIntervalForResource, for: record.id)
        _ = queue.next(at: now)
        let candidate = HandoffPolicy.Candidate(
            id: record.id, state: record.state, bytesDone: snapshot.bytesDone, bytesTotal: snapshot.bytesTotal,
            rate: meter.bytesPerSecond, canResume: true, isRepeatable: false)
        _ = HandoffPolicy.plan([candidate], now: now, grace: Duration(microseconds: dice.number()), hasService: true)
    }

    private mutating func event() -> TransferEvent {
        let verbs: [ControlVerb] = [.pause, .resume, .cancel, .retry, .remove]
        switch dice.below(23) {
        case 0: return restart()
        case 1: return .command(dice.one(of: verbs))
        case 2: return .deadlinePassed
        case 3: return .starved
        case 4: return .networkReturned
        case 5: return .withheld(.metered, until: WallTime(microseconds: dice.number()))
        case 6: return .allowed
        case 7: return .adjusted(TransferAdjustment(rateLimit: dice.number()))
        case 8: return .replaced(Replacement(url: "http://example.org/film.mp4?new"))
        case 9: return .due
        case 10: return .relocated
        case 11: return rejoin()
        case 12: return .clockMoved(by: Duration(microseconds: dice.number()))
        case 13: return .storeReturned(after: Duration(microseconds: dice.number()))
        default: return likelyEvent()
        }
    }

    private mutating func restart() -> TransferEvent {
        machine = TransferMachine(machine.record)
        return .recovered
    }

    /// The exchange continues with a new machine.
    private mutating func rejoin() -> TransferEvent {
        let record = machine.record
        machine = TransferMachine(record)
        let id = ExchangeID(transfer: record.id, attempt: record.facts.attempts)
        guard record.state != .running(.verifying), !record.state.isEnded else { return .recovered }
        if case .upload(.tus) = record.spec.work { return .recovered }
        return .survived(
            SurvivingExchange(
                id: id, condition: .carried(isBodySent: dice.below(2) == 0), bodyLength: abs(dice.number() / 2)))
    }

    /// Returns the next event of an undisturbed transfer.
    private mutating func likelyEvent() -> TransferEvent {
        if let step = machine.step { return .engine(dice.answer(to: step)) }
        if case .waiting(let waiting) = machine.record.state {
            switch waiting.reason {
            case .turn: return .turnGranted
            case .credentials: return .credentialsGiven
            default: return .due
            }
        }
        if let task = machine.record.facts.cleanup.subtracting([.record]).min(by: { $0.rawValue < $1.rawValue }) {
            return .cleaned(task, isDone: dice.below(2) == 0)
        }
        return .command(.retry)
    }
}
