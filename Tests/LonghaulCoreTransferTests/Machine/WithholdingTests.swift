import Testing

@testable import LonghaulCore

/// Conditions and the machine: every state, and the effects of a stop.
@Suite struct WithholdingTests {
    @Test func withheldDownloadResumesFromSyncedOffsetInSameAttempt() {
        var world = MachineFixture.download()
        world.feed(.turnGranted)
        world.engine(.receiving(.strong))
        #expect(world.feed(.withheld(.metered, until: nil)) == [.stop])
        #expect(world.reason == .metered)
        world.engine(
            .exchangeEnded(
                ExchangeOutcome(
                    ending: .cancelled, head: .strong, disposition: .written(length: 400, isComplete: false))))
        #expect(world.reason == .metered && world.facts.bytesDone == 400)
        world.feed(.allowed)
        #expect(world.reason == .turn)
        let actions = world.feed(.turnGranted)
        #expect(actions == [.start(.files(.measurePartial(path: world.machine.partialPath, directory: "/tmp/files")))])
        #expect(world.facts.attempts == 1 && world.facts.failuresInARow == 0 && world.facts.restarts == 0)
    }

    @Test func otherWaitReasonsStay() {
        for reason in [Waiting.Reason.retry, .serverBusy, .diskSpace, .notBefore, .network, .credentials] {
            var world = MachineFixture.download()
            world.machine.record.state = .waiting(Waiting(reason, since: world.now))
            #expect(world.feed(.withheld(.metered, until: nil)) == [])
            #expect(world.reason == reason)
            #expect(world.feed(.allowed) == [])
            #expect(world.reason == reason)
        }
    }

    @Test func newReasonReplacesEarlierOne() {
        var world = MachineFixture.download()
        let since = world.now
        world.feed(.withheld(.metered, until: nil))
        world.now = world.now + .seconds(5)
        world.feed(.withheld(.metered, until: nil))
        #expect(world.state == .waiting(Waiting(.metered, since: since)))
        world.feed(.withheld(.hours, until: world.now + .seconds(60)))
        #expect(world.state == .waiting(Waiting(.hours, since: world.now, until: world.now + .seconds(60))))
        world.now = world.now + .seconds(60)
        world.feed(.due)
        #expect(world.reason == .turn)
    }

    @Test func completeAndUnansweredTransfersAreNotStopped() {
        var post = MachineFixture.upload("POST")
        post.feed(.turnGranted)
        post.engine(.lastBytesHeld)
        #expect(post.feed(.withheld(.metered, until: nil)) == [] && post.state == .awaitingResponse)
        var placing = MachineFixture.download()
        placing.machine.record.state = .running(.verifying)
        #expect(placing.feed(.withheld(.metered, until: nil)) == [] && placing.state == .running(.verifying))
        for state in [TransferState.paused, .succeeded, .cancelled] {
            var world = MachineFixture.download()
            world.machine.record.state = state
            #expect(world.feed(.withheld(.budget, until: nil)) == [] && world.feed(.allowed) == [])
            #expect(world.state == state)
        }
    }

    @Test func commandsMeanWhatTheyMeanInEveryWait() {
        var world = MachineFixture.download()
        world.feed(.withheld(.metered, until: nil))
        world.feed(.command(.pause))
        #expect(world.state == .paused)
        world.feed(.command(.resume))
        #expect(world.reason == .turn)
        world.feed(.withheld(.metered, until: nil))
        world.feed(.command(.cancel))
        #expect(world.state == .cancelled)
    }

    @Test func aRetryBeginsBeforeTheDateAndOutsideOfTheHours() {
        var dated = MachineFixture.download {
            $0.options.earliestBeginDate = MachineFixture.start + .seconds(3_600)
        }
        dated.feed(.command(.pause))
        dated.feed(.command(.resume))
        #expect(dated.reason == .notBefore)
        dated.feed(.command(.retry))
        #expect(dated.reason == .turn && dated.facts.startsAtOnce)
        dated.feed(.command(.pause))
        dated.feed(.command(.resume))
        #expect(dated.reason == .turn, "it stays said")
        var closed = MachineFixture.download()
        closed.feed(.withheld(.hours, until: closed.now + .seconds(60)))
        closed.feed(.command(.retry))
        #expect(closed.reason == .turn && closed.facts.startsAtOnce)
    }

    @Test(arguments: Waiting.Reason.conditions.filter { $0 != .hours })
    func aRetryIsRefusedWhereItWouldChangeNothing(_ reason: Waiting.Reason) {
        var world = MachineFixture.download()
        world.feed(.withheld(reason, until: nil))
        #expect(world.refusal(of: .retry)?.code == .invalidState && world.reason == reason)
    }

    @Test func ignoringConditionsSkipsStartTime() {
        var world = MachineFixture.download {
            $0.options.earliestBeginDate = MachineFixture.start + .seconds(3_600)
        }
        world.feed(.command(.pause))
        world.feed(.command(.resume))
        world.feed(.adjusted(TransferAdjustment(ignoresConditions: true)))
        #expect(world.reason == .turn)
        world.feed(.adjusted(TransferAdjustment(ignoresConditions: false)))
        #expect(world.reason == .notBefore, "the conditions apply again")
    }

    @Test func adjustedPriorityLeavesSpecPriorityUnchanged() {
        var world = MachineFixture.download { $0.options.priority = 2 }
        world.feed(.adjusted(TransferAdjustment(priority: -7)))
        #expect(world.machine.record.priority == -7 && world.machine.record.spec.options.priority == 2)
        #expect(TransferAdjustment(priority: 1_000_001).refusal != nil)
    }

    @Test func anAdjustmentIsKeptAndAnEndedTransferTakesNone() {
        var world = MachineFixture.download { $0.options.rateLimit = 500 }
        world.feed(.adjusted(TransferAdjustment(rateLimit: 900)))
        #expect(world.machine.record.rateLimit == 900)
        world.feed(.adjusted(TransferAdjustment(rateLimit: 0, ignoresConditions: true)))
        #expect(world.machine.record.rateLimit == nil && world.facts.ignoresConditions)
        world.machine.record.state = .succeeded
        let reaction = world.machine.handle(
            .adjusted(TransferAdjustment(rateLimit: 1)), at: Moment(now: world.now, random: 1, bootID: "boot"))
        #expect(reaction.refusal?.code == .invalidState)
    }

    @Test func aWaitForConditionsDoesNotCountAsTimeWithoutProgress() {
        var world = MachineFixture.download { $0.options.progressTimeout = .seconds(10) }
        world.feed(.turnGranted)
        world.engine(.receiving(.strong))
        world.feed(.withheld(.metered, until: nil))
        world.engine(.exchangeEnded(ExchangeOutcome(ending: .cancelled, head: .strong)))
        world.now = world.now + .seconds(3_600)
        world.feed(.allowed)
        world.feed(.turnGranted)
        #expect(world.facts.lastProgressAt == world.now)
    }
}

extension MachineFixture {
    fileprivate var reason: Waiting.Reason? {
        if case .waiting(let waiting) = state { waiting.reason } else { nil }
    }
}

extension ResponseHead {
    fileprivate static let strong = ResponseHead(
        status: 200, headers: [HeaderField("ETag", "\"v1\""), HeaderField("Content-Length", "1000")],
        effectiveURL: "http://example.org/film.mp4")
}
