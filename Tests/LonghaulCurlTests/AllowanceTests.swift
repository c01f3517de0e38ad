import LonghaulCore
import TestSupport
import Testing

/// The number of bytes that an exchange may transfer before it needs a new allowance.
@Suite(.tags(.libcurl, .directPath), .onEachTransport) struct AllowanceTests {
    private static let content = Content(seed: 82, length: 3_000_000)
    /// What libcurl hands over in one go.
    private static let buffer: Int64 = 64 << 10

    @Test func downloadStallsAtAllowanceAndContinuesAfterIncrease() throws {
        let world = try World(["/f": Route(.file(Self.content, etag: "\"v1\""))])
        var plan = world.download("/f")
        plan.allowance = 1_000_000
        let ticket = world.start(.exchange(plan))
        _ = try world.next(ticket) { $0 == .allowanceUsed }
        let moved = try #require(world.engine.progress(of: ticket)).received
        #expect(moved >= 1_000_000 && moved <= 1_000_000 + Self.buffer)
        world.engine.setAllowance(2_000_000, of: ticket)
        _ = try world.next(ticket) { $0 == .allowanceUsed }
        #expect(try #require(world.engine.progress(of: ticket)).received <= 2_000_000 + Self.buffer)
        world.engine.setAllowance(nil, of: ticket)
        let outcome = try world.outcome(of: ticket)
        #expect(outcome.ending == .responded && outcome.bytesReceived == 3_000_000)
        #expect(try world.contentOfPartial() == Self.content.bytes(0..<3_000_000))
        #expect(world.events(of: ticket).count { $0 == .allowanceUsed } == 2)
    }

    @Test func downloadAtItsAllowanceNeverTimesOut() throws {
        let world = try World(["/f": Route(.file(Self.content)), "/s": Route(.silence())])
        var plan = world.download("/f")
        plan.allowance = 500_000
        plan.network.timeoutIntervalForRequest = .seconds(600)
        let held = world.start(.exchange(plan))
        _ = try world.next(held) { $0 == .allowanceUsed }
        // A request that is silent for that long times out.
        var silent = world.request("GET", "/s")
        silent.network.timeoutIntervalForResponse = .seconds(1_200)
        let other = world.start(.exchange(silent))
        try world.server.waitForRequests(2)
        #expect(try world.outcome(of: other, advancingBy: .seconds(1_200)).failure?.code == .timedOut)
        #expect(world.isRunning(held))
        world.engine.cancel(held)
        #expect(try world.outcome(of: held).ending == .cancelled)
    }

    @Test func anUploadSendsNotAByteMore() throws {
        let world = try World(["/u": Route(.status(200))])
        var plan = world.request("PUT", "/u", body: try world.fileBody(Self.content))
        plan.allowance = 1_000_000
        let ticket = world.start(.exchange(plan))
        _ = try world.next(ticket) { $0 == .allowanceUsed }
        #expect(try #require(world.engine.progress(of: ticket)).sent == 1_000_000)
        world.engine.setAllowance(nil, of: ticket)
        let outcome = try world.outcome(of: ticket)
        #expect(outcome.ending == .responded && outcome.bytesSent == 3_000_000)
    }

    @Test func aBodyThatFitsAsksForNothing() throws {
        let world = try World(["/f": Route(.file(Self.content))])
        var plan = world.download("/f")
        plan.allowance = 3_000_000
        let ticket = world.start(.exchange(plan))
        #expect(try world.outcome(of: ticket).ending == .responded)
        #expect(!world.events(of: ticket).contains(.allowanceUsed))
    }
}
