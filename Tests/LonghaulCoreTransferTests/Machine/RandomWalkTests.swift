import TestSupport
import Testing

@testable import LonghaulCore

/// Thousands of random but possible histories; after each event, the invariants are checked.
@Suite struct RandomWalkTests {
    /// The kinds of event that the walks have drawn so far.
    private var drawn: Set<TransferEvent.Kind> = []

    @Test mutating func noLifeBreaksTheRules() {
        for seed in 0..<40 { live(seed) }
        #expect(drawn == Set(TransferEvent.Kind.allCases), "an event is never drawn")
    }

    private mutating func live(_ seed: Int) {
        var chance = SeededChance(seed: UInt64(seed) &* 7_919 &+ 1)
        let makers: [() -> MachineFixture] = [
            { .download { $0.options.credentialName = CredentialName("photos") } },
            { .download { $0.options.predecessor = TransferID(high: 1, low: 1) } },
            { .tus { $0.options.credentialName = CredentialName("photos") } },
            { .download() }, { .upload("PUT") }, { .upload("POST", staged: true) }, { .tus() },
            { MachineFixture(TransferSpec(work: .request(body: [1]), method: "POST", url: "http://example.org/")) },
        ]
        for _ in 0..<60 {
            var world = makers[Int(chance.next() % UInt64(makers.count))]()
            var everAwaitedUnsafely = false
            for _ in 0..<60 {
                let before = world.state
                let actions = oneEvent(&world, &chance)
                everAwaitedUnsafely =
                    everAwaitedUnsafely || (world.state == .awaitingResponse && !world.machine.isSafeToSendAgain)
                check(world, before, actions, everAwaitedUnsafely, "a life of seed \(seed)")
                if world.machine.isReadyToForget { break }
            }
        }
    }

    private func check(
        _ world: MachineFixture, _ before: TransferState, _ actions: [TransferAction], _ everAwaited: Bool,
        _ life: Comment
    ) {
        #expect(world.state.isEnded == (world.facts.endedAt != nil), life)
        if case .waiting(let waiting) = world.state {
            switch waiting.reason {
            case .turn, .credentials: #expect(waiting.until == nil, life)
            case .predecessor: #expect(world.machine.record.spec.options.predecessor != nil, life)
            case .notBefore, .retry, .network, .diskSpace, .serverBusy, .hours, .clock, .mount, .unlock:
                #expect(waiting.until != nil, life)
            // The conditions end it, or a time if one is known.
            case .metered, .constrained, .roaming, .power, .battery, .budget, .sleep, .link, .idle: break
            }
        }
        if case .running = world.state { #expect(world.machine.step != nil, life) }
        let starts = actions.filter { if case .start = $0 { true } else { false } }
        #expect(starts.count <= 1, life)
        // Once the body of a request that must not be repeated was sent, only the user's retry may send it again.
        if before == .awaitingResponse, everAwaited, !world.machine.isSafeToSendAgain {
            #expect(starts.isEmpty, life)
        }
    }

    private mutating func oneEvent(_ world: inout MachineFixture, _ chance: inout SeededChance) -> [TransferAction] {
        world.now = world.now + .seconds(Int64(chance.next() % 400))
        guard let event = interruption(world, &chance) ?? likelyEvent(world, &chance) else { return [] }
        drawn.insert(event.kind)
        switch event {
        case .recovered: return world.crash()
        case .survived, .vanished: return world.crash(event)
        case .clockMoved(let step):
            world.now = world.now + step
            return world.feed(event)
        default: return world.feed(event)
        }
    }

    /// Returns an event that may happen at any time, sometimes.
    private func interruption(_ world: MachineFixture, _ chance: inout SeededChance) -> TransferEvent? {
        switch chance.next() % 37 {
        case 0, 1: return .recovered
        case 2...6:
            let verbs: [ControlVerb] = [.pause, .resume, .cancel, .retry, .resume, .retry]
            return .command(verbs[Int(chance.next() % 6)])
        case 7: return chance.next() % 30 == 0 ? .deadlinePassed : nil
        case 8: return chance.next() % 30 == 0 ? .starved : nil
        case 9: return .networkReturned
        case 10: return chance.next() % 4 == 0 ? .replaced(replacement(&chance)) : nil
        case 11:
            let date = chance.next() % 2 == 0 ? world.now + .seconds(Int64(chance.next() % 900)) : nil
            return .withheld([.metered, .power, .budget, .sleep][Int(chance.next() % 4)], until: date)
        case 12: return .withheld(.hours, until: world.now + .seconds(Int64(chance.next() % 900)))
        case 13: return .allowed
        case 14: return .due
        case 15:
            let limit = Int64(chance.next() % 3) - 1
            return .adjusted(
                TransferAdjustment(rateLimit: limit < 0 ? nil : limit, ignoresConditions: chance.next() % 2 == 0))
        case 16: return .urlGiven(replacement(&chance))
        case 17: return .credentialsGiven
        case 18:
            let tasks: [CleanupTask] = [.partialFile, .stagedBodies]
            return .leftoverFound(tasks[Int(chance.next() % 2)])
        case 19: return .relocated
        case 20: return .survived(world.survivor(isBodySent: chance.next() % 2 == 0))
        case 21: return chance.next() % 8 == 0 ? .vanished : nil
        case 22: return chance.next() % 4 == 0 ? .predecessorEnded(nil) : nil
        case 23: return .clockChanged
        case 24: return .clockMoved(by: .seconds(Int64(chance.next() % 2_000) - 1_000))
        case 25: return .storeReturned(after: .seconds(Int64(chance.next() % 400)))
        default: return nil
        }
    }

    private func replacement(_ chance: inout SeededChance) -> Replacement {
        Replacement(
            url: chance.next() % 2 == 0 ? "http://example.org/film.mp4?new" : "http://other.org/film.mp4",
            headers: chance.next() % 3 == 0 ? [HeaderField("X-Key", "1")] : nil)
    }

    /// Returns the next event of an undisturbed transfer.
    private func likelyEvent(_ world: MachineFixture, _ chance: inout SeededChance) -> TransferEvent? {
        if let step = world.machine.step { return .engine(answer(to: step, &chance)) }
        if case .waiting(let waiting) = world.state {
            let dice = chance.next() % 10
            switch waiting.reason {
            case .turn: return dice == 0 ? .credentialsMissing : .turnGranted
            case .credentials where dice < 2:
                return .credentialsUnavailable(TransferFailure(.credentialsRequired, "No helper has a password."))
            case .credentials: return dice < 4 ? .urlGiven(replacement(&chance)) : .credentialsGiven
            case .notBefore, .retry, .network, .diskSpace, .serverBusy, .clock, .mount, .unlock: return .due
            case .predecessor:
                return .predecessorEnded(dice == 0 ? TransferFailure(.predecessorFailed, "It failed.") : nil)
            case .metered, .constrained, .roaming, .power, .battery, .hours, .budget, .sleep, .link, .idle:
                return waiting.until == nil || dice < 5 ? .allowed : .due
            }
        }
        // In a fixed order: the order of a set differs between processes, and a seed has to produce the same history.
        let tasks = world.facts.cleanup.subtracting([.record]).sorted { $0.rawValue < $1.rawValue }
        return tasks.first.map { .cleaned($0, isDone: chance.next() % 2 == 0) }
    }

    /// Returns a possible event of the engine at this step.
    private func answer(to step: TransferStep, _ chance: inout SeededChance) -> EngineEvent {
        let dice = Int(chance.next() % 8)
        let codes: [FailureCode] = [.connectionLost, .offline, .diskFull, .timedOut, .notYetValid]
        let broke = EngineEvent.broke(codes[dice % codes.count], requestLeft: dice > 1)
        let offset = Int64(chance.next() % 1_001)
        switch step {
        case .inspecting: return .sourcesInspected([.success(MachineFixture.pin)])
        case .measuring: return .partialMeasured(.success(dice == 0 ? nil : offset))
        case .downloading(nil):
            return [
                .receiving(.file()), .receiving(.file()), .checkpoint(offset), .written(offset, complete: false),
                .written(1_000, complete: true), broke, .refused(.status, .ok(503)), .refused(.status, .ok(401)),
            ][dice]
        case .downloading(.some):
            return [
                .receiving(.ok(206)), .head(.file()), .written(1_000, complete: true), .refused(.changed), broke,
                .refused(.alreadyComplete), .written(offset, complete: false), .refused(.status, .ok(500)),
            ][dice]
        case .checking:
            let good = dice == 0 ? SegmentMap([0..<1_000]) : SegmentMap([0..<offset])
            return .piecesChecked(.success(PieceReport(good: good, isSourceWhole: dice == 1)))
        case .placing:
            let wrong = TransferFailure(.digestMismatch, "wrong")
            return dice < 2
                ? .placed(.failure(wrong))
                : .placed(.success(PlacedFile(path: "/tmp/files/film.mp4", leavesPartialFile: true)))
        case .sending:
            return [
                .lastBytesHeld, .bodySent, .ended(.ok(200)), .ended(.ok(503)), .ended(.ok(500)), broke, broke,
                .bodySent,
            ][dice]
        case .discovering: return dice < 2 ? broke : .ended(.tus(204))
        case .creating:
            return dice < 2 ? broke : .ended(.tus(201, [HeaderField("Location", "/files/a")]))
        case .asking: return dice < 2 ? broke : .ended(dice == 2 ? .tus(404) : .tus(200, offset: offset))
        case .patching:
            return [
                .lastBytesHeld, .bodySent, broke, broke, .ended(.tus(204, offset: 1_000)),
                .ended(.tus(204, offset: offset)), .ended(.tus(409)), .ended(.tus(503)),
            ][dice]
        case .stopping(let stopped):
            switch stopped {
            case .inspecting: return .sourcesInspected([.success(MachineFixture.pin)])
            case .measuring: return .partialMeasured(.success(1))
            case .checking: return .piecesChecked(.success(PieceReport(good: SegmentMap())))
            case .placing: return .placed(.success(PlacedFile(path: "/tmp/files/film.mp4", leavesPartialFile: true)))
            case .downloading, .sending, .discovering, .creating, .asking, .patching, .stopping:
                return .exchangeEnded(ExchangeOutcome(ending: .cancelled))
            }
        }
    }
}
