import LonghaulCore
import TestSupport
import Testing

/// Range requests with a whole new body as the response.
@Suite(.tags(.libcurl), .onEachPath) struct RestartTests {
    static let newVersion = Content(seed: 21, length: 2_000_000)
    static let old = Content(seed: 20, length: 50_000)

    private func resumed(_ content: Content) throws -> (World, Ticket) {
        let world = try World(["/f": Route(.file(content, etag: "\"v2\""))])
        try world.directory.write(Self.old, to: "file.part")
        return (world, world.start(.exchange(world.download("/f", resume: .at(Self.old.length)))))
    }

    @Test(arguments: [newVersion, Content(seed: 22, length: 300), Content(seed: 23, length: 0)])
    func itsBodyIsHeldUntilItMayReplaceTheOldOne(content: Content) throws {
        let (world, ticket) = try resumed(content)
        let event = try world.next(ticket) { if case .head = $0 { true } else { false } }
        guard case .head(let head) = event else { throw Unexpected() }
        #expect(head.status == 200 && head.headers.single("ETag") == "\"v2\"")
        #expect(try world.contentOfPartial() == Self.old.bytes())
        world.engine.release(ticket, .writeFromStart)
        let outcome = try world.outcome(of: ticket)
        #expect(outcome.ending == .responded)
        #expect(outcome.disposition == .written(length: content.length, isComplete: true))
        #expect(try world.contentOfPartial() == content.bytes())
    }

    @Test func cancelledWhileHeldItLeavesTheOldBytes() throws {
        let (world, ticket) = try resumed(Self.newVersion)
        _ = try world.next(ticket) { if case .head = $0 { true } else { false } }
        world.engine.cancel(ticket)
        let outcome = try world.outcome(of: ticket)
        #expect(outcome.ending == .cancelled && outcome.disposition == .none)
        #expect(try world.contentOfPartial() == Self.old.bytes())
    }

    @Test func heldResponseNeverTimesOut() throws {
        let world = try World(["/f": Route(.file(Self.newVersion)), "/silent": Route(.silence())])
        try world.directory.write(Self.old, to: "file.part")
        var plan = world.download("/f", resume: .at(Self.old.length))
        plan.network.timeoutIntervalForRequest = .seconds(600)
        let ticket = world.start(.exchange(plan))
        _ = try world.next(ticket) { if case .head = $0 { true } else { false } }
        // A request that is silent for that long times out.
        var silent = world.request("GET", "/silent")
        silent.network.timeoutIntervalForResponse = .seconds(1_200)
        let other = world.start(.exchange(silent))
        try world.server.waitForRequests(2)
        #expect(try world.outcome(of: other, advancingBy: .seconds(1_200)).failure?.code == .timedOut)
        world.engine.release(ticket, .writeFromStart)
        #expect(try world.outcome(of: ticket).ending == .responded)
    }
}
