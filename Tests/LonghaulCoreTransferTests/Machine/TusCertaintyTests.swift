import Testing

@testable import LonghaulCore

/// Evidence of sent bytes, which decides whether a lost upload may be recreated, and which offsets are possible.
@Suite struct TusCertaintyTests {
    private let location = HeaderField("Location", "/files/abc")

    private func patching() -> MachineFixture {
        var world = MachineFixture.tus()
        world.feed(.turnGranted)
        world.engine(.sourcesInspected([.success(MachineFixture.pin)]))
        world.engine(.ended(.tus(204)))
        world.engine(.ended(.tus(201, [location])))
        return world
    }

    /// An engine that cannot hold back the last bytes reports when all were sent: the response is awaited, even if the system could run
    /// the upload.
    @Test func aBodyThatIsOutIsNotRelocated() {
        var world = patching()
        world.engine(.bodySent)
        #expect(world.state == .awaitingResponse && world.feed(.relocated) == [])
    }

    /// Waits, gets its turn, and queries the offset. Returns the plan after the server's response.
    private func asks(_ world: inout MachineFixture, _ answer: ResponseHead) -> ExchangePlan? {
        world.now = world.now + .seconds(900)
        world.feed(.due)
        world.feed(.turnGranted)
        #expect(world.engine(.sourcesInspected([.success(MachineFixture.pin)])).exchange?.method == "HEAD")
        return world.engine(.ended(answer)).exchange
    }

    private func code(_ world: MachineFixture) -> FailureCode? {
        if case .failed(let failure) = world.state { failure.code } else { nil }
    }

    @Test func patchHoldsLastBytesUntilRecordAwaitsResponse() throws {
        var world = MachineFixture.tus()
        world.feed(.turnGranted)
        world.engine(.sourcesInspected([.success(MachineFixture.pin)]))
        world.engine(.ended(.tus(204)))
        let patch = try #require(world.engine(.ended(.tus(201, [location]))).exchange)
        #expect(patch.body?.holdsLastBytes == true && patch.connection == .any)
        #expect(world.engine(.lastBytesHeld) == [.release(.sendRest)])
        #expect(world.state == .awaitingResponse)
    }

    @Test(arguments: [404, 410, 403]) func anAnswerLostAtOnceAfterTheLastByteLeavesTheOutcomeUnknown(status: Int) {
        var world = patching()
        world.engine(.lastBytesHeld)
        world.engine(.broke(.connectionLost, bytesSent: 1_000))
        #expect(asks(&world, .tus(status)) == nil)
        #expect(code(world) == .outcomeUnknown)
    }

    @Test func aPauseRightAfterTheLastByteForgetsNothing() {
        var world = patching()
        world.engine(.lastBytesHeld)
        world.feed(.command(.pause))
        world.engine(.exchangeEnded(ExchangeOutcome(ending: .cancelled, bytesSent: 1_000)))
        world.feed(.command(.resume))
        #expect(asks(&world, .tus(404)) == nil)
        #expect(code(world) == .outcomeUnknown)
    }

    @Test(arguments: [true, false]) func aKilledServiceKnowsWhetherTheLastBytesWereLetGo(wereLetGo: Bool) {
        var world = patching()
        if wereLetGo { world.engine(.lastBytesHeld) }
        _ = world.crash()
        world.engine(.sourcesInspected([.success(MachineFixture.pin)]))
        let next = world.engine(.ended(.tus(404))).exchange
        #expect(next?.method == (wereLetGo ? nil : "POST"))
        #expect(code(world) == (wereLetGo ? .outcomeUnknown : nil))
    }

    @Test func bytesThatWereLetGoAndDidNotLeaveAreNotSent() {
        var world = patching()
        world.engine(.lastBytesHeld)
        world.engine(.broke(.connectionLost, bytesSent: 300))
        #expect(asks(&world, .tus(404))?.method == "POST")
    }

    @Test(arguments: [301, 1_000] as [Int64]) func anOffsetBeyondWhatWasEverSentIsNotOurs(offset: Int64) {
        var world = patching()
        world.engine(.broke(.connectionLost, bytesSent: 300))
        #expect(asks(&world, .tus(200, offset: offset))?.method == "POST")
        #expect(world.facts.restarts == 1)
    }

    @Test func earlierSentBytesCountTowardOffset() throws {
        var world = patching()
        world.engine(.broke(.connectionLost, bytesSent: 600))
        let second = try #require(asks(&world, .tus(200, offset: 100)))
        #expect(second.headers.single("Upload-Offset") == "100")
        world.engine(.broke(.connectionLost, bytesSent: 10))
        #expect(asks(&world, .tus(200, offset: 600))?.headers.single("Upload-Offset") == "600")
    }

    @Test func afterACrashAnyOffsetThatCanHaveBeenSentIsBelieved() {
        var world = patching()
        _ = world.crash()
        world.engine(.sourcesInspected([.success(MachineFixture.pin)]))
        #expect(world.engine(.ended(.tus(200, offset: 900))).exchange?.method == "PATCH")
    }

    @Test func anAnswerThatClaimsMoreThanWasSentIsNotBelieved() {
        var world = patching()
        #expect(world.engine(.ended(.tus(204, offset: 1_000), bytesSent: 200)).exchange?.method == "POST")
    }

    @Test func damageThatAServerReportsIsSettledByAsking() {
        var world = patching()
        #expect(world.engine(.ended(.tus(460))).exchange?.method == "HEAD")
        #expect(world.engine(.ended(.tus(200, offset: 100))).exchange?.headers.single("Upload-Offset") == "100")
    }

    @Test func twoLengthsInOneAnswerAreNotBelieved() {
        var world = patching()
        world.engine(.broke(.connectionLost, bytesSent: 600))
        let lengths = [HeaderField("Upload-Length", "1000"), HeaderField("Upload-Length", "77")]
        #expect(asks(&world, .tus(200, offset: 10, lengths)) == nil)
        #expect(code(world) == .protocolViolation)
    }
}
