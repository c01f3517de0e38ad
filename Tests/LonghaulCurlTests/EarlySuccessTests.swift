import LonghaulCore
import TestSupport
import Testing

/// A success before the whole body was sent only counts if the rest is accepted too: otherwise the file did not arrive.
@Suite(.tags(.libcurl), .onEachPath) struct EarlySuccessTests {
    static let big = Content(seed: 47, length: 40_000_000)

    @Test(arguments: ["PUT", "POST"], [Reply.Ending.keepsAlive, .resets, .closes])
    func aServerThatTakesNoMoreHasNotTakenTheFile(method: String, ending: Reply.Ending) throws {
        let early = Reply.status(200, body: "ok").intake(.answer(after: 1_000_000)).ending(ending)
        let world = try World(["/u": Route(early)], settings: .withHTTP1)
        var plan = world.request(method, "/u", body: try world.fileBody(Self.big))
        if case .closes = ending { plan.network.timeoutIntervalForRequest = .seconds(60) }
        let outcome = try world.exchange(plan)
        if case .closes = ending {
            // The server reads everything after its response.
            #expect(outcome.ending == .responded && outcome.bytesSent == Self.big.length, "\(outcome)")
        } else {
            #expect(outcome.failure?.code == .connectionLost && outcome.bytesSent < Self.big.length, "\(outcome)")
        }
    }

    @Test func aSuccessInPlaceOfTheLeaveToSendIsNone() throws {
        let world = try World(["/u": Route(.status(200, body: "ok").intake(.none).ending(.resets))])
        let outcome = try world.exchange(world.request("PUT", "/u", body: try world.fileBody(Self.big)))
        #expect(outcome.failure?.code == .connectionLost && outcome.bytesSent < Self.big.length, "\(outcome)")
    }

    @Test func heldBytesAreSentAfterEarlySuccess() throws {
        let content = Content(seed: 61, length: 1_000_000)
        let world = try World(["/u": Route(.status(200, body: "early").intake(.answer(after: 1_000)).ending(.closes))])
        let ticket = world.start(
            .exchange(world.request("POST", "/u", body: try world.fileBody(content, holdsLastBytes: true))))
        _ = try world.next(ticket) { $0 == .lastBytesHeld }
        world.engine.release(ticket, .sendRest)
        let outcome = try world.outcome(of: ticket)
        #expect(outcome.ending == .responded && outcome.bytesSent == content.length, "\(outcome)")
        #expect(outcome.body == Array("early".utf8))
    }

    /// The status is known; its body is not.
    @Test(arguments: [1, 100_000] as [Int64]) func anAnswerThatIsCutComesWithItsHead(length: Int64) throws {
        let content = Content(seed: 48, length: length)
        let cut = Reply.status(201, body: "made").framed(.contentLengthOff(by: 10))
        let world = try World(["/u": Route(cut)])
        let outcome = try world.exchange(world.request("PUT", "/u", body: try world.fileBody(content)))
        #expect(outcome.failure?.code == .connectionLost && outcome.head?.status == 201)
        #expect(outcome.bytesSent == length && outcome.body == Array("made".utf8) && outcome.isBodyTruncated)
    }
}
