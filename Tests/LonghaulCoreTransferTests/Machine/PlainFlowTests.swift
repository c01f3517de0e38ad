import Testing

@testable import LonghaulCore

@Suite struct PlainFlowTests {
    /// Returns the fixture after its turn was granted and its exchange started.
    private func sending(_ fixture: MachineFixture) -> (MachineFixture, ExchangePlan?) {
        var world = fixture
        let actions = world.feed(.turnGranted)
        return (world, actions.exchange)
    }

    @Test func postHoldsLastBytesUntilRecordAwaitsResponse() {
        var (world, plan) = sending(.upload("POST"))
        #expect(plan?.body?.holdsLastBytes == true)
        #expect(plan?.connection == .unused)
        #expect(world.engine(.lastBytesHeld) == [.release(.sendRest)])
        #expect(world.state == .awaitingResponse)
    }

    @Test func aPutIsSentInOneGo() {
        let (_, plan) = sending(.upload("PUT"))
        #expect(plan?.body?.holdsLastBytes == false)
        #expect(plan?.body?.length == 1_000)
    }

    @Test func anIdempotencyKeyMakesAPostRepeatable() {
        var (world, plan) = sending(.upload("POST") { $0.options.idempotencyKey = "k-1" })
        #expect(plan?.headers.single("Idempotency-Key") == "\"k-1\"")
        world.engine(.bodySent)
        #expect(world.state == .awaitingResponse)
        #expect(world.crash().exchange != nil)
    }

    /// As a structured-field string (RFC 9651, section 3.3.3).
    @Test(arguments: [(#"a"b"#, #""a\"b""#), (#"a\b"#, #""a\\b""#), ("", #""""#), ("~ !", #""~ !""#)])
    func idempotencyKeyIsQuoted(key: String, value: String) {
        let (_, plan) = sending(.upload("POST") { $0.options.idempotencyKey = key })
        #expect(plan?.headers.single("Idempotency-Key") == value)
    }

    @Test(arguments: ["\u{e9}", "\t", "a\r\nb", "\u{7f}"]) func idempotencyKeyIsPrintableASCII(key: String) {
        var spec = TransferSpec(work: .request(body: []), method: "POST", url: "http://example.org/do")
        spec.options.idempotencyKey = key
        let failure = #expect(throws: TransferFailure.self) { try TransferRecord.check(spec) }
        #expect(failure?.code == .invalidArgument)
    }

    @Test func aPostThatDiedWhileAwaitingItsResponseHasAnUnknownOutcome() {
        var (world, _) = sending(.upload("POST"))
        world.engine(.lastBytesHeld)
        _ = world.crash()
        guard case .failed(let failure) = world.state else { return #expect(Bool(false), "\(world.state)") }
        #expect(failure.code == .outcomeUnknown)
    }

    @Test func aPostThatDiedWhileSendingIsSentAgain() {
        var (world, _) = sending(.upload("POST"))
        #expect(world.crash().exchange != nil)
        #expect(world.state == .running(.sending))
    }

    @Test func aPutThatLostItsAnswerIsSentAgain() {
        var (world, _) = sending(.upload("PUT"))
        world.engine(.bodySent)
        world.engine(.broke(.connectionLost))
        guard case .waiting(let waiting) = world.state else { return #expect(Bool(false), "\(world.state)") }
        #expect(waiting.reason == .retry)
    }

    @Test func aPostThatLostItsAnswerIsNot() {
        var (world, _) = sending(.upload("POST"))
        world.engine(.lastBytesHeld)
        world.engine(.broke(.connectionLost))
        guard case .failed(let failure) = world.state else { return #expect(Bool(false), "\(world.state)") }
        #expect(failure.code == .outcomeUnknown)
    }

    @Test func aPostThatWasRedirectedHasItsAnswer() {
        var (world, _) = sending(.upload("POST"))
        world.engine(.lastBytesHeld)
        let refused = TransferFailure(.redirectRefused, "It redirects.", origin: .status(302))
        let head = ResponseHead(
            status: 302, headers: [HeaderField("Location", "/b"), HeaderField("Set-Cookie", "a=b")],
            effectiveURL: "http://example.org/a")
        world.engine(.exchangeEnded(ExchangeOutcome(ending: .broke(refused), head: head)))
        #expect(world.state == .failed(refused))
        #expect(world.machine.record.facts.response?.headers == [HeaderField("Location", "/b")])
    }

    @Test(arguments: ["POST", "PUT"])
    func anAnswerToAFileThatChangedInTheSocketIsNoSuccess(method: String) {
        var (world, _) = sending(.upload(method))
        world.engine(.bodySent)
        let changed = TransferFailure(.sourceChanged, "It changed while it was being sent.")
        let head = ResponseHead(status: 201, headers: [], effectiveURL: "http://example.org/a")
        world.engine(
            .exchangeEnded(ExchangeOutcome(ending: .broke(changed), head: head, body: [1], requestLeft: true)))
        #expect(world.state == .failed(changed))
        #expect(world.machine.record.facts.response?.status == 201 && world.machine.record.facts.response?.body == [1])
    }

    @Test(arguments: [FailureCode.sourceChanged, .sourceMissing, .sourceUnreadable])
    func postWithoutItsLastBytesHasNotArrived(code: FailureCode) {
        for (bytesSent, isKnown) in [(999, true), (1_000, false)] as [(Int64, Bool)] {
            var (world, _) = sending(.upload("POST"))
            world.engine(.lastBytesHeld)
            let failure = TransferFailure(code, "It cannot be sent.")
            world.engine(.exchangeEnded(ExchangeOutcome(ending: .broke(failure), bytesSent: bytesSent)))
            guard case .failed(let failed) = world.state else { return #expect(Bool(false), "\(world.state)") }
            #expect(failed.code == (isKnown ? code : .outcomeUnknown))
        }
    }

    @Test(arguments: [
        FailureCode.sourceChanged, .sourceMissing, .sourceUnreadable, .tooManyOpenFiles, .protocolViolation,
    ])
    func postWithWithheldBodyHasNotArrived(code: FailureCode) {
        for bytesSent in [999, 1_000] as [Int64] {
            var (world, _) = sending(.upload("POST"))
            world.engine(.lastBytesHeld)
            // An earlier request of the exchange may have sent everything, and been refused.
            var outcome = ExchangeOutcome(ending: .broke(TransferFailure(code, "It stopped.")), bytesSent: bytesSent)
            outcome.withheldBody = true
            world.engine(.exchangeEnded(outcome))
            #expect(world.facts.lastFailure?.code == code && world.facts.bytesDone == bytesSent)
            if code != .tooManyOpenFiles { #expect(world.state == .failed(TransferFailure(code, "It stopped."))) }
        }
    }

    @Test func aPostWhoseBytesNeverLeftIsSentAgain() {
        var (world, _) = sending(.upload("POST"))
        world.engine(.lastBytesHeld)
        world.engine(.broke(.connectionRefused, requestLeft: false))
        guard case .waiting = world.state else { return #expect(Bool(false), "\(world.state)") }
    }

    @Test func aSourceThatChangedIsNotSent() {
        var world = MachineFixture.upload("PUT")
        world.feed(.turnGranted)
        #expect(world.engine(.broke(.sourceChanged, requestLeft: false)).isEmpty)
        guard case .failed(let failure) = world.state else { return #expect(Bool(false), "\(world.state)") }
        #expect(failure.code == .sourceChanged)
    }

    @Test func theResponseIsKept() {
        var (world, _) = sending(.upload("PUT"))
        world.engine(.ended(.ok(201, [HeaderField("Set-Cookie", "s=1"), HeaderField("X-Id", "7")]), body: [1, 2]))
        #expect(world.state == .succeeded)
        #expect(world.facts.response?.status == 201)
        #expect(world.facts.response?.body == [1, 2])
        #expect(world.facts.response?.headers == [HeaderField("X-Id", "7")])
    }

    @Test func retryAfterIsObeyed() {
        var (world, _) = sending(.upload("PUT"))
        world.engine(.ended(.ok(503, [HeaderField("Retry-After", "120")])))
        guard case .waiting(let waiting) = world.state else { return #expect(Bool(false), "\(world.state)") }
        #expect(waiting.reason == .serverBusy)
        #expect((waiting.until ?? world.now) - world.now >= .seconds(120))
    }

    @Test(arguments: [
        (500, FailureCode.serverFailed), (404, .notFound), (401, .credentialsRequired),
    ])
    func aDefiniteAnswerToAPostEndsIt(_ status: Int, _ code: FailureCode) {
        var (world, _) = sending(.upload("POST"))
        world.engine(.lastBytesHeld)
        world.engine(.ended(.ok(status)))
        guard case .failed(let failure) = world.state else { return #expect(Bool(false), "\(world.state)") }
        #expect(failure.code == code)
    }

    /// A gateway without a response in time may have forwarded the request.
    @Test(arguments: [502, 504, 520, 524]) func aGatewaysFailureLeavesTheOutcomeOfAPostUnknown(_ status: Int) {
        var (world, _) = sending(.upload("POST"))
        world.engine(.lastBytesHeld)
        world.engine(.ended(.ok(status)))
        guard case .failed(let failure) = world.state else { return #expect(Bool(false), "\(world.state)") }
        #expect(failure.code == .outcomeUnknown && failure.origin == .status(status))
        var (other, _) = sending(.upload("PUT"))
        other.engine(.ended(.ok(status)))
        guard case .waiting(let waiting) = other.state else { return #expect(Bool(false), "\(other.state)") }
        #expect(waiting.failure?.code == .serverFailed)
    }

    @Test(arguments: [500, 502, 504, 507, 599]) func noAdviceInvitesToDoAPostTwice(_ status: Int) {
        var (world, _) = sending(.upload("POST"))
        world.engine(.lastBytesHeld)
        world.engine(.ended(.ok(status)))
        guard case .failed(let failure) = world.state else { return #expect(Bool(false), "\(world.state)") }
        #expect(!failure.message.contains("try again") && failure.message.contains("retry"), "\(failure.message)")
    }

    @Test(arguments: ["POST", "PUT", "PATCH", "DELETE"])
    func aStatusIsTheAnswerAlsoWhenItsBodyIsCut(_ method: String) {
        var (world, _) = sending(.upload(method))
        world.engine(.lastBytesHeld)
        world.engine(.broke(.connectionLost, head: .ok(201), bytesSent: 1_000))
        #expect(world.state == .succeeded)
        #expect(world.facts.response?.status == 201 && world.facts.response?.isTruncated == true)
    }

    @Test func truncatedGetResponseIsRetried() {
        var world = MachineFixture(TransferSpec(work: .request(body: []), method: "GET", url: "http://example.org/a"))
        world.feed(.turnGranted)
        world.engine(.broke(.connectionLost, head: .ok(200)))
        guard case .waiting = world.state else { return #expect(Bool(false), "\(world.state)") }
    }

    @Test func aSuccessBeforeTheBodyHadLeftIsNoneForAPut() {
        var (world, _) = sending(.upload("PUT"))
        world.engine(.broke(.connectionLost, head: .ok(200), bytesSent: 999))
        guard case .waiting(let waiting) = world.state else { return #expect(Bool(false), "\(world.state)") }
        #expect(waiting.failure?.code == .connectionLost)
    }

    /// The server completed its response without the whole body: the effect is unknown.
    @Test func aSuccessBeforeTheBodyHadLeftIsNotRepeatedForAPost() {
        var (world, _) = sending(.upload("POST"))
        world.engine(.broke(.connectionLost, head: .ok(200), bytesSent: 900))
        guard case .failed(let failure) = world.state else { return #expect(Bool(false), "\(world.state)") }
        #expect(failure.code == .outcomeUnknown && world.facts.response?.status == 200)
    }

    /// A change of the source outweighs a response.
    @Test func anAnswerDoesNotHideASourceThatChanged() {
        var (world, _) = sending(.upload("PUT"))
        world.engine(.broke(.sourceChanged, head: .ok(200), bytesSent: 1_000))
        guard case .failed(let failure) = world.state else { return #expect(Bool(false), "\(world.state)") }
        #expect(failure.code == .sourceChanged)
    }

    /// Another request could have its effect twice, and the response could not be requested again.
    @Test func unsavedCookiesKeepTheResponse() {
        var (world, _) = sending(.upload("POST"))
        world.engine(.broke(.fileFailed, head: .ok(200), bytesSent: 1_000))
        guard case .failed(let failure) = world.state else { return #expect(Bool(false), "\(world.state)") }
        #expect(failure.code == .fileFailed && world.facts.response?.status == 200)
    }

    @Test func aBodilessPostIsHeldWhole() {
        var world = MachineFixture(
            TransferSpec(work: .request(body: []), method: "POST", url: "http://example.org/do"))
        let plan = world.feed(.turnGranted).exchange
        #expect(plan?.body == BodyPlan(segments: [], length: 0, holdsLastBytes: true))
        #expect(world.engine(.lastBytesHeld) == [.release(.sendRest)])
    }

    @Test func aGetHasNoBody() {
        var world = MachineFixture(TransferSpec(work: .request(body: []), method: "GET", url: "http://example.org/a"))
        #expect(world.feed(.turnGranted).exchange?.body == nil)
    }

    @Test func stagedBodiesAreDeletedAfterSuccessOnly() {
        var (world, _) = sending(.upload("PUT", staged: true))
        #expect(world.engine(.ended(.ok(404))).isEmpty)
        var (other, _) = sending(.upload("PUT", staged: true))
        #expect(other.engine(.ended(.ok(204))) == [.clean(.stagedBodies)])
    }
}
