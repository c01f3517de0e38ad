import LonghaulCore
import TestSupport
import Testing

@Suite(.tags(.libcurl), .onEachPath) struct CancelTests {
    static let content = Content(seed: 81, length: 3_000_000)

    @Test func aRunningDownloadKeepsWhatCame() throws {
        let latch = Latch()
        let world = try World(["/f": Route(.file(Self.content).stalled(after: 1_000_000, by: latch))])
        let ticket = world.start(.exchange(world.download("/f")))
        try latch.waitForArrivals()
        world.waitUntilReceived(1_000_000, ticket)
        world.engine.cancel(ticket)
        let outcome = try world.outcome(of: ticket)
        #expect(outcome.ending == .cancelled && outcome.head?.status == 200)
        #expect(outcome.disposition == .written(length: 1_000_000, isComplete: false))
        #expect(try world.contentOfPartial() == Self.content.bytes(0..<1_000_000))
    }

    @Test func beforeTheAnswerThereIsNothingToKeep() throws {
        let latch = Latch()
        let world = try World(["/f": Route(.silence(latch))])
        let ticket = world.start(.exchange(world.download("/f")))
        try latch.waitForArrivals()
        world.engine.cancel(ticket)
        let outcome = try world.outcome(of: ticket)
        #expect(outcome.ending == .cancelled && outcome.disposition == .none && outcome.requestLeft)
        #expect(!world.directory.exists("file.part"))
    }

    @Test func atAnyTimeThereIsExactlyOneEnding() throws {
        let world = try World(["/f": Route(.file(Self.content, etag: "\"v1\"")), "/u": Route(.status(200))])
        let source = try world.source(Self.content)
        let upload = BodyPlan(
            segments: [.file(source, offset: 0, length: Self.content.length)], length: Self.content.length,
            holdsLastBytes: true)
        var chance = SeededChance(seed: 5)
        var tickets: [Ticket] = []
        for round in 0..<200 {
            let plan = round % 2 == 0 ? world.download("/f") : world.request("POST", "/u", body: upload)
            let ticket = world.start(.exchange(plan))
            tickets.append(ticket)
            for _ in 0..<(chance.next() % 2_000) { _ = world.engine.progress(of: ticket) }
            world.engine.release(ticket, .sendRest)
            world.engine.cancel(ticket)
        }
        for ticket in tickets { _ = try world.outcome(of: ticket) }
        // The last exchange's end comes after every event of the others.
        _ = try world.exchange(world.request("GET", "/f"))
        for ticket in tickets {
            let events = world.events(of: ticket)
            #expect(events.filter(\.isEnding).count == 1 && events.last?.isEnding == true)
        }
    }
}
