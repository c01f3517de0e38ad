import Testing

@testable import LonghaulCore

/// Every pair of state and command, listed.
@Suite struct CommandTableTests {
    enum Situation: CaseIterable, Sendable {
        case waiting, running, awaitingSafe, awaitingUnsafe, paused, succeeded, failed, cancelled

        func make() -> MachineFixture {
            var world = self == .awaitingUnsafe ? MachineFixture.upload("POST") : MachineFixture.upload("PUT")
            switch self {
            case .waiting: break
            case .running: world.feed(.turnGranted)
            case .awaitingSafe, .awaitingUnsafe:
                world.feed(.turnGranted)
                world.engine(self == .awaitingSafe ? .bodySent : .lastBytesHeld)
            case .paused: world.feed(.command(.pause))
            case .succeeded:
                world.feed(.turnGranted)
                world.engine(.ended(.ok(200)))
            case .failed:
                world.feed(.turnGranted)
                world.engine(.broke(.sourceMissing, requestLeft: false))
            case .cancelled: world.feed(.command(.cancel))
            }
            return world
        }
    }

    /// The state's first word after the command, or `refused`.
    private static let table: [(ControlVerb, [Situation: String])] = [
        (
            .pause,
            [
                .waiting: "paused", .running: "paused", .awaitingSafe: "paused", .awaitingUnsafe: "refused",
                .paused: "paused", .succeeded: "refused", .failed: "refused", .cancelled: "refused",
            ]
        ),
        (
            .resume,
            [
                .waiting: "waiting", .running: "running", .awaitingSafe: "awaitingResponse",
                .awaitingUnsafe: "awaitingResponse", .paused: "waiting", .succeeded: "refused", .failed: "refused",
                .cancelled: "refused",
            ]
        ),
        (
            .cancel,
            [
                .waiting: "cancelled", .running: "cancelled", .awaitingSafe: "cancelled",
                .awaitingUnsafe: "cancelled", .paused: "cancelled", .succeeded: "refused", .failed: "refused",
                .cancelled: "cancelled",
            ]
        ),
        (
            .retry,
            [
                .waiting: "waiting", .running: "refused", .awaitingSafe: "refused", .awaitingUnsafe: "refused",
                .paused: "waiting", .succeeded: "refused", .failed: "waiting", .cancelled: "waiting",
            ]
        ),
        (
            .remove,
            [
                .waiting: "refused", .running: "refused", .awaitingSafe: "refused", .awaitingUnsafe: "refused",
                .paused: "refused", .succeeded: "succeeded", .failed: "failed", .cancelled: "cancelled",
            ]
        ),
    ]

    @Test(arguments: Situation.allCases) func everyCommandHasItsListedOutcome(_ situation: Situation) {
        for (verb, outcomes) in Self.table {
            var world = situation.make()
            let before = world.machine
            let refusal = world.refusal(of: verb)
            if outcomes[situation] == "refused" {
                #expect(refusal?.code == .invalidState, "\(situation) \(verb)")
                #expect(world.machine == before, "a refused command changes nothing")
            } else {
                #expect(refusal == nil, "\(situation) \(verb)")
                #expect(Self.word(world.state) == outcomes[situation], "\(situation) \(verb)")
            }
        }
    }

    private static func word(_ state: TransferState) -> String {
        switch state {
        case .waiting: "waiting"
        case .running: "running"
        case .awaitingResponse: "awaitingResponse"
        case .paused: "paused"
        case .succeeded: "succeeded"
        case .failed: "failed"
        case .cancelled: "cancelled"
        }
    }

    @Test func succeededTransferOffersNoRetry() {
        var world = Situation.succeeded.make()
        #expect(world.refusal(of: .retry) != nil)
        for verb in [ControlVerb.pause, .resume] {
            #expect(world.refusal(of: verb)?.message == "The transfer has succeeded.")
        }
    }

    @Test func aPausedAttemptMayNotStartAgainBeforeItsEngineHasStopped() {
        var world = MachineFixture.upload("PUT")
        world.feed(.turnGranted)
        #expect(world.feed(.command(.pause)) == [.stop])
        world.feed(.command(.resume))
        #expect(world.machine.step == .stopping(.sending))
        world.engine(.exchangeEnded(ExchangeOutcome(ending: .cancelled)))
        #expect(world.machine.step == nil)
        #expect(world.state == .waiting(Waiting(.turn, since: world.now)))
    }

    @Test func anAnswerThatRacesWithAPauseCounts() {
        var world = Situation.awaitingSafe.make()
        #expect(world.feed(.command(.pause)) == [.stop])
        world.engine(.ended(.ok(201)))
        #expect(world.state == .succeeded)
    }

    @Test func aFileThatGotItsNameBeforeTheCancelCountsAsDone() {
        var world = MachineFixture.download()
        world.feed(.turnGranted)
        world.engine(.receiving(.file()))
        world.engine(.written(1_000, complete: true))
        world.feed(.command(.cancel))
        world.engine(.placed(.success(PlacedFile(path: "/tmp/files/film.mp4", leavesPartialFile: true))))
        #expect(world.state == .succeeded)
    }

    @Test func removingWaitsForTheFilesToBeGone() {
        var world = MachineFixture.download()
        world.feed(.turnGranted)
        world.engine(.refused(.status, .ok(404)))
        #expect(world.feed(.command(.remove)) == [.clean(.partialFile)])
        #expect(!world.machine.isReadyToForget)
        world.feed(.cleaned(.partialFile, isDone: true))
        #expect(world.machine.isReadyToForget)
    }

    @Test func aRetryGivesTheWholeTimeAgain() {
        var world = Situation.running.make()
        world.now = world.facts.deadline
        world.feed(.deadlinePassed)
        world.engine(.exchangeEnded(ExchangeOutcome(ending: .cancelled)))
        world.feed(.command(.retry))
        #expect(world.facts.deadline == world.now + .seconds(604_800))
    }

    @Test(arguments: Situation.allCases) func theTimeLimitEndsWhatIsAlive(_ situation: Situation) {
        var world = situation.make()
        let wasEnded = world.state.isEnded
        let before = world.state
        world.feed(.deadlinePassed)
        if wasEnded { #expect(world.state == before) } else { #expect(Self.word(world.state) == "failed") }
    }

    @Test func aNotBeforeDateIsWaitedForAlsoAfterAPause() {
        var world = MachineFixture.upload("PUT") {
            $0.options.earliestBeginDate = MachineFixture.start + .seconds(3_600)
        }
        world.feed(.command(.pause))
        world.feed(.command(.resume))
        guard case .waiting(let waiting) = world.state else { return #expect(Bool(false), "\(world.state)") }
        #expect(waiting.reason == .notBefore && waiting.until == MachineFixture.start + .seconds(3_600))
    }
}
