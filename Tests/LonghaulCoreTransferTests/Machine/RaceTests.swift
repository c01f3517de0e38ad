import Testing

@testable import LonghaulCore

/// Events that were pending when a command or a limit came first.
@Suite struct RaceTests {
    private func awaiting(_ method: String) -> MachineFixture {
        var world = MachineFixture.upload(method)
        world.feed(.turnGranted)
        world.engine(method == "POST" ? .lastBytesHeld : .bodySent)
        return world
    }

    private func patching() -> MachineFixture {
        var world = MachineFixture.tus()
        world.feed(.turnGranted)
        world.engine(.sourcesInspected([.success(MachineFixture.pin)]))
        world.engine(.ended(.tus(204)))
        world.engine(.ended(.tus(201, [HeaderField("Location", "/files/abc")])))
        return world
    }

    @Test(arguments: [Int64?.none, 0, 400])
    func aPauseHoldsAlsoWhenTheServerAcknowledgesAPartMeanwhile(_ offset: Int64?) {
        var world = patching()
        #expect(world.feed(.command(.pause)) == [.stop])
        #expect(world.engine(.ended(.tus(204, offset: offset))).isEmpty)
        #expect(world.state == .paused && world.machine.step == nil)
        #expect(world.facts.upload.acknowledged == offset ?? 0)
    }

    @Test func aLastAcknowledgementThatRacesWithAPauseCounts() {
        var world = patching()
        world.feed(.command(.pause))
        world.engine(.ended(.tus(204, offset: 1_000)))
        #expect(world.state == .succeeded)
    }

    @Test func anAnswerThatRacesWithAPauseAndAResumeCounts() {
        var world = awaiting("PUT")
        world.feed(.command(.pause))
        world.feed(.command(.resume))
        world.engine(.ended(.ok(201)))
        #expect(world.state == .succeeded)
    }

    @Test func anAnswerThatRacesWithTheTimeLimitCounts() {
        var world = awaiting("POST")
        #expect(world.feed(.deadlinePassed) == [.stop])
        world.engine(.ended(.ok(201)))
        #expect(world.state == .succeeded)
    }

    @Test(arguments: [TransferEvent.deadlinePassed, .starved])
    func aLimitThatEndsTheWaitForAnAnswerDoesNotClaimToKnowIt(_ limit: TransferEvent) {
        var world = awaiting("POST")
        world.feed(limit)
        guard case .failed(let failure) = world.state else { return #expect(Bool(false), "\(world.state)") }
        #expect(failure.code == .outcomeUnknown)
    }

    @Test func aCancelledRequestStaysCancelledWhateverIsAnswered() {
        var world = awaiting("POST")
        world.feed(.command(.cancel))
        world.engine(.ended(.ok(201)))
        #expect(world.state == .cancelled)
    }

    @Test func bytesOfAVersionThatWasNeverRecordedCountForNothing() {
        var world = MachineFixture.download()
        world.feed(.turnGranted)
        world.feed(.command(.pause))
        world.engine(.receiving(.file()))
        world.engine(
            .exchangeEnded(ExchangeOutcome(ending: .cancelled, disposition: .written(length: 300, isComplete: false))))
        #expect(world.facts.bytesDone == 0)
        world.feed(.command(.resume))
        #expect(world.feed(.turnGranted).exchange?.headers.single("Range") == nil)
    }

    @Test func failureMessageOmitsResponseContent() {
        let head = ResponseHead(
            status: 200, headers: [HeaderField("X-Token", "hunter2")],
            effectiveURL: "http://user:hunter2@example.org/?key=hunter2")
        var world = MachineFixture.tus()
        world.feed(.turnGranted)
        world.engine(.ended(head, body: Array("hunter2".utf8)))
        guard case .failed(let failure) = world.state else { return #expect(Bool(false), "\(world.state)") }
        #expect(failure.code == .internalFault)
        #expect(!failure.message.contains("hunter2"), "\(failure.message)")
    }
}
