import Glibc
import LonghaulCore
import TestSupport
import Testing

@testable import LonghaulCurl

/// Faults of one stream among many on a connection (RFC 9113).
@Suite(.tags(.libcurl), .onEachTransport) struct StreamFaultTests {
    static let content = Content(seed: 131, length: 600_000)

    @Test(arguments: [Reply.StreamError.internalError, .cancel, .enhanceYourCalm])
    func aStreamThatIsResetIsALostConnection(code: Reply.StreamError) throws {
        let reply = Reply.file(Self.content).reset(after: 300_000).with { $0.resetCode = code }
        let world = try World(["/f": Route(reply)])
        let outcome = try world.exchange(world.download("/f"))
        #expect(outcome.failure?.code == .connectionLost)
        guard case .written(let length, false) = outcome.disposition else { throw Unexpected() }
        #expect(try world.contentOfPartial() == Self.content.bytes(0..<length))
    }

    /// The server has processed nothing of such a request, so libcurl may repeat it automatically (section 8.7).
    @Test func aRefusedStreamIsTriedAgain() throws {
        let refusal = Reply().ending(.resetsUnanswered).with { $0.resetCode = .refusedStream }
        let world = try World(["/f": .first(1, refusal, then: .file(Self.content))])
        let outcome = try world.exchange(world.download("/f"))
        #expect(outcome.disposition == .written(length: Self.content.length, isComplete: true))
        #expect(try world.contentOfPartial() == Self.content.bytes())
    }

    /// The server has processed nothing of such a request either (section 6.8), whether it is the first one of its connection or a later
    /// one.
    @Test(arguments: [false, true]) func aRequestThatTheConnectionsEndLeavesOutIsMadeAgain(isFirst: Bool) throws {
        let last: UInt8 = isFirst ? 0 : 1
        let goAway: [UInt8] = [0, 0, 8, 7, 0, 0, 0, 0, 0, 0, 0, 0, last, 0, 0, 0, 0]
        let refusal = Reply().with { $0.raw = goAway }
        let world = try World(["/f": .first(1, refusal, then: .file(Self.content)), "/a": Route(.status(200))])
        if !isFirst { #expect(try world.exchange(world.request("GET", "/a")).ending == .responded) }
        let outcome = try world.exchange(world.download("/f"))
        #expect(outcome.disposition == .written(length: Self.content.length, isComplete: true), "\(outcome)")
        #expect(try world.contentOfPartial() == Self.content.bytes())
    }

    @Test(arguments: [false, true]) func anUploadThatTheConnectionsEndLeavesOutIsMadeAgain(isHeld: Bool) throws {
        let goAway: [UInt8] = [0, 0, 8, 7, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0]
        let refusal = Reply().intake(.none).with { $0.raw = goAway }
        let world = try World(["/u": .first(1, refusal, then: .status(201))])
        let plan = world.request("POST", "/u", body: try world.fileBody(Self.content, holdsLastBytes: isHeld))
        let ticket = world.start(.exchange(plan))
        if isHeld {
            _ = try world.server.wait(for: "the second request") { $0.count == 2 ? true : nil }
            _ = try world.next(ticket) { $0 == .lastBytesHeld }
            world.engine.release(ticket, .sendRest)
        }
        let outcome = try world.outcome(of: ticket)
        #expect(outcome.head?.status == 201, "\(outcome)")
        #expect(world.server.requests.last?.bodyChecksum == Self.content.checksum)
    }

    /// A server may respond early and refuse the rest (section 8.1). The permission for the last bytes may come then.
    @Test(arguments: Reply.Rest.allCases) func anEarlyRefusalCountsAlsoWhenWhatIsHeldIsReleased(rest: Reply.Rest) throws
    {
        let world = try World(
            ["/u": Route(.status(403, body: "early").intake(.none).with { $0.rest = rest })], settings: .withHTTP1)
        let body = try world.fileBody(Self.content, holdsLastBytes: true)
        let ticket = world.start(.exchange(world.request("POST", "/u", body: body)))
        var event = try world.next(ticket) { $0 == .lastBytesHeld || $0.isEnding }
        if event == .lastBytesHeld {
            world.engine.release(ticket, .sendRest)
            event = try world.ending(of: ticket)
        }
        guard case .exchangeEnded(let outcome) = event else { throw Unexpected() }
        #expect(outcome.ending == .responded && outcome.head?.status == 403, "\(outcome)")
        #expect(outcome.bytesSent < Self.content.length)
    }

    @Test func aRefusedStreamIsTriedAgainAlsoWithItsLastBytes() throws {
        let refusal = Reply().ending(.resetsUnanswered).with { $0.resetCode = .refusedStream }
        let world = try World(["/u": .first(1, refusal, then: .status(201))])
        let body = try world.fileBody(Self.content, holdsLastBytes: true)
        var plan = world.request("POST", "/u", body: body)
        plan.connection = .unused
        let ticket = world.start(.exchange(plan))
        _ = try world.next(ticket) { $0 == .lastBytesHeld }
        world.engine.release(ticket, .sendRest)
        let outcome = try world.outcome(of: ticket)
        #expect(outcome.head?.status == 201 && outcome.bytesSent == Self.content.length, "\(outcome)")
        #expect(world.server.requests.map(\.bodyChecksum) == [Self.content.checksum, Self.content.checksum])
    }

    /// The server has processed nothing of such a request (section 7). libcurl repeats it over HTTP/1.1, but not the start of its body.
    @Test(
        .enabled(if: !LibcurlFeature.mixesBodies, "Uploads use HTTP/1.1."), arguments: ["PUT", "POST"], [false, true])
    func uploadThatRequiresHTTP1IsSentAgain(method: String, isRead: Bool) throws {
        let refusal = Reply().intake(isRead ? .whole : .none).ending(.resetsUnanswered)
            .with { $0.resetCode = .http11Required }
        let routes = ["/u": Route.first(1, refusal, then: .status(201)), "/a": Route(.status(200))]
        let world = try World(routes, settings: .withHTTP1)
        // The first request to an origin is not representative.
        #expect(try world.exchange(world.request("GET", "/a")).ending == .responded)
        let isHeld = method == "POST"
        var plan = world.request(method, "/u", body: try world.fileBody(Self.content, holdsLastBytes: isHeld))
        if isHeld { plan.connection = .unused }
        let ticket = world.start(.exchange(plan))
        if isHeld {
            _ = try world.next(ticket) { $0 == .lastBytesHeld }
            world.engine.release(ticket, .sendRest)
        }
        let outcome = try world.outcome(of: ticket)
        #expect(outcome.head?.status == 201 && outcome.bytesSent == Self.content.length, "\(outcome)")
        #expect(world.server.requests(to: "/u").count == 2)
        #expect(world.server.requests.last?.bodyChecksum == Self.content.checksum)
    }

    @Test func moreThanTheServerAllowsAtOnceAllArrive() throws {
        var settings = HTTP2Settings()
        settings.maximumStreams = 4
        let world = try World(["/f*": Route(.file(Self.content))], settings: settings)
        try world.downloadAtOnce(64, Self.content)
    }

    /// No transfer fails because a further connection is still being made through a slow proxy.
    @Test(.enabled(if: ForwardProxy.missing == nil, "\(ForwardProxy.missing ?? "")"))
    func transferSurvivesSlowProxyConnection() throws {
        var settings = HTTP2Settings()
        settings.maximumStreams = 2
        let latch = Latch()
        let reply = Reply.file(Self.content).stalled(after: 1_000, by: latch)
        let world = try World(["/f*": Route(reply)], settings: settings)
        let proxy = try ForwardProxy()
        let relay = try CountingRelay(to: proxy.port)
        func start(_ numbers: Range<Int>) -> [Ticket] {
            numbers.map { number in
                var plan = world.download("/f\(number)", to: "\(number).part")
                plan.network.proxy = "http://127.0.0.1:\(relay.port)"
                return world.start(.exchange(plan))
            }
        }
        // As many as one connection carries; then one that needs the proxy, which does not respond; then others.
        var tickets = start(0..<2)
        try latch.waitForArrivals(2)
        // By then, the server's limits have arrived too.
        for ticket in tickets { _ = try world.next(ticket) { if case .receiving = $0 { true } else { false } } }
        let before = relay.value
        relay.allow(down: before.down)
        tickets += start(2..<3)
        try relay.waitHere(for: "its question") { $0.connections == 2 && $0.up >= before.up + 100 ? () : nil }
        tickets += start(3..<8)
        usleep(100_000)
        relay.allow(down: .max)
        latch.open()
        for (number, ticket) in tickets.enumerated() {
            let outcome = try world.outcome(of: ticket)
            #expect(outcome.disposition == .written(length: Self.content.length, isComplete: true), "\(outcome.ending)")
            let isRight = try world.directory.read("\(number).part") == Self.content.bytes()
            #expect(isRight)
        }
    }

    @Test func aTinyWindowIsHeeded() throws {
        var settings = HTTP2Settings()
        settings.window = 1_000
        let world = try World(["/u": Route(.status(201))], settings: settings)
        let content = Content(seed: 132, length: 150_000)
        let outcome = try world.exchange(world.request("PUT", "/u", body: try world.fileBody(content)))
        #expect(outcome.head?.status == 201)
        #expect(world.server.requests[0].bodyChecksum == content.checksum)
    }
}
