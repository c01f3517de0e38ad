import TestSupport
import Testing

@testable import LonghaulCore

/// Thousands of random but possible lives; after each event the rules that always hold are checked.
@Suite struct RandomWalkTests {
    @Test(arguments: 0..<40) func noLifeBreaksTheRules(_ seed: Int) {
        var chance = SeededChance(seed: UInt64(seed) &* 7_919 &+ 1)
        let makers: [() -> MachineFixture] = [
            { .download { $0.options.credential = CredentialName("photos") } },
            { .tus { $0.options.credential = CredentialName("photos") } },
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
                check(world, before, actions, everAwaitedUnsafely)
                if world.machine.isReadyToForget { break }
            }
        }
    }

    private func check(
        _ world: MachineFixture, _ before: TransferState, _ actions: [TransferAction], _ everAwaited: Bool
    ) {
        #expect(world.state.isEnded == (world.facts.endedAt != nil), "\(world.state)")
        if case .waiting(let waiting) = world.state {
            #expect((waiting.until == nil) == (waiting.reason == .turn || waiting.reason == .credentials), "\(waiting)")
        }
        if case .running = world.state { #expect(world.machine.step != nil) }
        let starts = actions.filter { if case .start = $0 { true } else { false } }
        #expect(starts.count <= 1)
        // Once the body of what must not be repeated has left, only a person's retry may send it again.
        if before == .awaitingResponse, everAwaited, !world.machine.isSafeToSendAgain {
            #expect(starts.isEmpty, "sent again after \(before)")
        }
    }

    private func oneEvent(_ world: inout MachineFixture, _ chance: inout SeededChance) -> [TransferAction] {
        world.now = world.now + .seconds(Int64(chance.next() % 400))
        let dice = chance.next() % 20
        if dice == 0 { return world.crash() }
        if dice < 4 {
            let verbs: [ControlVerb] = [.pause, .resume, .cancel, .retry, .resume, .retry]
            return world.feed(.command(verbs[Int(chance.next() % 6)]))
        }
        if dice == 4, chance.next() % 30 == 0 { return world.feed(.deadlinePassed) }
        if dice == 5 { return world.feed(.networkReturned) }
        if dice == 6, chance.next() % 4 == 0 {
            let url = chance.next() % 2 == 0 ? "http://example.org/film.mp4?new" : "http://other.org/film.mp4"
            return world.feed(.replaced(Replacement(url: url)))
        }
        if let step = world.machine.step { return world.engine(answer(to: step, &chance)) }
        if case .waiting(let waiting) = world.state {
            if waiting.reason == .turn { return world.feed(dice == 7 ? .credentialsMissing : .turnGranted) }
            if waiting.reason == .credentials {
                let lacking = TransferFailure(.credentialsRequired, "Nobody has it.")
                return world.feed(dice < 9 ? .credentialsUnavailable(lacking) : .credentialsGiven)
            }
            return world.feed(.due)
        }
        let tasks = Array(world.facts.cleanup.subtracting([.record]))
        if let task = tasks.first { return world.feed(.cleaned(task, isDone: chance.next() % 2 == 0)) }
        return []
    }

    /// Something that the engine may say at this step.
    private func answer(to step: TransferStep, _ chance: inout SeededChance) -> EngineEvent {
        let dice = Int(chance.next() % 8)
        let codes: [FailureCode] = [.connectionLost, .offline, .diskFull, .timedOut, .certificateRejected]
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
            case .placing: return .placed(.success(PlacedFile(path: "/tmp/files/film.mp4", leavesPartialFile: true)))
            case .downloading, .sending, .discovering, .creating, .asking, .patching, .stopping:
                return .exchangeEnded(ExchangeOutcome(ending: .cancelled))
            }
        }
    }
}
