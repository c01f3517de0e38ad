import Glibc
import LonghaulCore
import TestSupport
import Testing

/// The last bytes of a body, which leave only with permission.
@Suite(.tags(.libcurl), .onEachPath) struct HoldTests {
    static let content = Content(seed: 61, length: 1_000_000)
    static let early = content.length - (64 << 10)

    @Test func lastBytesWaitForRelease() throws {
        let world = try World(["/u": Route(.status(200))])
        let body = try world.fileBody(Self.content, holdsLastBytes: true)
        let ticket = world.start(.exchange(world.request("POST", "/u", body: body)))
        _ = try world.next(ticket) { $0 == .lastBytesHeld }
        // On HTTP/2, libcurl buffers an incomplete frame.
        let least = Self.early - (Transport.current == .http2 ? 16 << 10 : 0)
        let seen = try world.server.wait(for: "all but the last bytes") { log in
            log.first.flatMap { $0.bodyLength >= least ? $0 : nil }
        }
        #expect(seen.bodyLength <= Self.early && !seen.isBodyComplete)
        world.engine.release(ticket, .sendRest)
        let outcome = try world.outcome(of: ticket)
        #expect(outcome.ending == .responded && outcome.bytesSent == Self.content.length)
        #expect(world.server.requests[0].bodyChecksum == Self.content.checksum)
        #expect(world.events(of: ticket).filter { $0 == .lastBytesHeld }.count == 1)
    }

    @Test func aShortBodyIsHeldWhole() throws {
        let world = try World(["/u": Route(.status(200))])
        let ticket = world.start(.exchange(world.request("POST", "/u", body: body([1, 2, 3], holdsLastBytes: true))))
        _ = try world.next(ticket) { $0 == .lastBytesHeld }
        #expect(try world.server.waitForRequests(1)[0].bodyLength == 0)
        world.engine.release(ticket, .sendRest)
        #expect(try world.outcome(of: ticket).ending == .responded)
        #expect(world.server.requests[0].body == [1, 2, 3])
    }

    @Test func withAnEmptyBodyTheWholeRequestIsHeld() throws {
        let world = try World(["/u": Route(.status(200))])
        let ticket = world.start(.exchange(world.request("POST", "/u", body: body([], holdsLastBytes: true))))
        _ = try world.next(ticket) { $0 == .lastBytesHeld }
        #expect(world.server.connections == 0)
        world.engine.release(ticket, .sendRest)
        #expect(try world.outcome(of: ticket).ending == .responded)
        #expect(world.server.requests[0].header("Content-Length") == "0")
    }

    @Test func cancelledBeforeItBeganNothingHasLeft() throws {
        let world = try World(["/u": Route(.status(200))])
        let ticket = world.start(.exchange(world.request("POST", "/u", body: body([], holdsLastBytes: true))))
        _ = try world.next(ticket) { $0 == .lastBytesHeld }
        world.engine.cancel(ticket)
        let outcome = try world.outcome(of: ticket)
        #expect(outcome.ending == .cancelled && !outcome.requestLeft)
        #expect(world.server.connections == 0)
    }

    @Test func aRefusalWhileTheyAreHeldEndsTheExchange() throws {
        let world = try World([
            "/u": Route(.status(403, body: "early").intake(.answer(after: 1_000)).ending(.closes))
        ])
        let body = try world.fileBody(Self.content, holdsLastBytes: true)
        let ticket = world.start(.exchange(world.request("POST", "/u", body: body)))
        let outcome = try world.outcome(of: ticket)
        #expect(outcome.ending == .responded && outcome.head?.status == 403, "\(outcome)")
        #expect(outcome.body == Array("early".utf8) && outcome.bytesSent <= Self.early)
    }

    /// A source that fails after the permission to send the last bytes.
    @Test(arguments: SourceFault.allCases, [false, true])
    func sourceThatFailsAfterReleaseIsWithheld(fault: SourceFault, isForm: Bool) throws {
        let world = try World(["/u": Route(.status(200))])
        var plan = try world.fileBody(Self.content, holdsLastBytes: true)
        if isForm {
            let last = try world.source(Content(seed: 62, length: 1_000), name: "last")
            plan.segments += [.bytes([1]), .file(last, offset: 0, length: 1_000), .bytes([2])]
            plan.length += 1_002
        }
        let ticket = world.start(.exchange(world.request("POST", "/u", body: plan)))
        _ = try world.next(ticket) { $0 == .lastBytesHeld }
        try fault.apply(to: isForm ? "last" : "source", in: world)
        world.engine.release(ticket, .sendRest)
        let outcome = try world.outcome(of: ticket)
        // The descriptor of the file that is being sent remains valid when its name is removed.
        if fault == .removed, !isForm { return #expect(outcome.ending == .responded && !outcome.withheldBody) }
        #expect(outcome.failure?.code == (fault == .removed ? .sourceMissing : .sourceChanged), "\(outcome)")
        #expect(outcome.withheldBody && outcome.bytesSent < plan.length)
        #expect(!world.events(of: ticket).contains(.bodySent))
    }

    /// A challenge or a redirect answers a whole body, and the source fails before the repetition sends its end.
    @Test func onlyTheLastRequestCountsAsWithheld() throws {
        let latch = Latch()
        let world = try World([
            "/u": Route(.redirect(307, to: "/v")), "/v": Route(.status(200).intake(.stall(after: 1_000, latch))),
        ])
        let body = try world.fileBody(Content(seed: 63, length: 40_000_000))
        let ticket = world.start(.exchange(world.request("POST", "/u", body: body)))
        try latch.waitForArrivals()
        try world.overwrite("source", at: 10)
        latch.open()
        let outcome = try world.outcome(of: ticket)
        #expect(outcome.failure?.code == .sourceChanged && outcome.withheldBody, "\(outcome)")
    }

    enum SourceFault: CaseIterable {
        case changed, shortened, removed

        func apply(to name: String, in world: World) throws {
            let path = world.directory.path(name)
            switch self {
            case .changed: try world.overwrite(name, at: 10)
            case .shortened: #expect(truncate(path, 10) == 0)
            case .removed: #expect(unlink(path) == 0)
            }
        }
    }

    @Test func aRedirectRepeatsTheBodyAndHoldsItAgain() throws {
        let world = try World(
            ["/u": Route(.redirect(307, to: "/v")), "/v": Route(.status(200))], settings: .withHTTP1)
        let body = body(Self.content.bytes(0..<1_000), holdsLastBytes: true)
        world.server.setRoute("/u", Reply.redirect(307, to: "/v").intake(.none).with { $0.rest = .letGo })
        let ticket = world.start(.exchange(world.request("POST", "/u", body: body)))
        _ = try world.server.wait(for: "the second request") { $0.contains { $0.path == "/v" } ? true : nil }
        _ = try world.next(ticket) { $0 == .lastBytesHeld }
        world.engine.release(ticket, .sendRest)
        #expect(try world.outcome(of: ticket).ending == .responded)
        #expect(world.server.requests(to: "/v")[0].body == Self.content.bytes(0..<1_000))
        #expect(world.events(of: ticket).filter { $0 == .lastBytesHeld }.count == 1)
    }
}
