import LonghaulCore
import LonghaulCurl
import TestSupport
import Testing

/// Exchanges that yield to other traffic, on loopback without any. `Benchmarks/making-room.py` measures the bandwidth that they
/// leave to others.
@Suite(.tags(.libcurl, .directPath), .onEachTransport) struct YieldingTests {
    private static let content = Content(seed: 91, length: 3_000_000)
    /// With the connection's window, and with the pace.
    private static let rules: [BodyPathRule] = {
        var paced = BodyPathRule()
        paced.boundsWindows = false
        paced.shortestTakenOver = 1 << 20
        var taken = BodyPathRule()
        taken.shortestTakenOver = 1 << 20
        return [BodyPathRule(), taken, paced]
    }()

    @Test(arguments: rules)
    func aDownloadArrivesWhole(rule: BodyPathRule) throws {
        try EachPath.$rule.withValue(rule) {
            let world = try World(["/f": Route(.file(Self.content, etag: "\"v1\""))])
            var plan = world.download("/f")
            plan.yields = true
            #expect(try world.exchange(plan).ending == .responded)
            #expect(try world.contentOfPartial() == Self.content.bytes(0..<3_000_000))
        }
    }

    @Test func anUploadArrivesWhole() throws {
        let world = try World(["/u": Route(.status(200))])
        var plan = world.request("PUT", "/u", body: try world.fileBody(Self.content, holdsLastBytes: true))
        plan.yields = true
        let ticket = world.start(.exchange(plan))
        _ = try world.next(ticket) { $0 == .lastBytesHeld }
        world.engine.release(ticket, .sendRest)
        let outcome = try world.outcome(of: ticket)
        #expect(outcome.ending == .responded && outcome.bytesSent == 3_000_000)
        #expect(world.server.requests.last?.body == Self.content.bytes(0..<3_000_000))
    }

    /// The user changes the option during the transfer, in both directions and repeatedly.
    @Test(arguments: rules)
    func yieldingTogglesDuringTransfer(rule: BodyPathRule) throws {
        try EachPath.$rule.withValue(rule) {
            let world = try World(["/f": Route(.file(Self.content, etag: "\"v1\"")), "/u": Route(.status(200))])
            var download = world.download("/f")
            var upload = world.request("PUT", "/u", body: try world.fileBody(Self.content))
            (download.allowance, upload.allowance) = (500_000, 500_000)
            let tickets = [world.start(.exchange(download)), world.start(.exchange(upload))]
            for ticket in tickets { _ = try world.next(ticket) { $0 == .allowanceUsed } }
            for (allowance, yields) in [(1_000_000, true), (1_500_000, false), (2_000_000, true)] as [(Int64, Bool)] {
                for ticket in tickets {
                    world.engine.setYields(yields, of: ticket)
                    world.engine.setAllowance(allowance, of: ticket)
                    _ = try world.next(ticket) { $0 == .allowanceUsed }
                }
            }
            for ticket in tickets { world.engine.setAllowance(nil, of: ticket) }
            for ticket in tickets { #expect(try world.outcome(of: ticket).ending == .responded) }
            #expect(try world.contentOfPartial() == Self.content.bytes(0..<3_000_000))
        }
    }

    @Test func manyShareTheWayToTheirHost() throws {
        let world = try World(["/f": Route(.file(Self.content, etag: "\"v1\""))])
        let tickets = (0..<6).map { number in
            var plan = world.download("/f", to: "\(number).part")
            plan.yields = true
            return world.start(.exchange(plan))
        }
        world.engine.cancel(tickets[0])
        #expect(try world.outcome(of: tickets[0]).ending != .responded)
        for ticket in tickets.dropFirst() { #expect(try world.outcome(of: ticket).ending == .responded) }
    }
}
