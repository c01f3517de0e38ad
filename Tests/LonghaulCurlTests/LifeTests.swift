import Glibc
import LonghaulCore
import LonghaulCurl
import TestSupport
import Testing

@Suite(.tags(.libcurl), .onEachPath) struct LifeTests {
    @Test func shutdownKeepsReceivedBytesAndSendsNoMoreEvents() throws {
        let content = Content(seed: 101, length: 30_000_000)
        let latch = Latch()
        let world = try World([
            "/f": Route(.file(content).stalled(after: 20_000_000, by: latch)), "/u": Route(.silence()),
        ])
        let ticket = world.start(.exchange(world.download("/f")))
        let upload = try world.fileBody(content, holdsLastBytes: true)
        for _ in 0..<5 { _ = world.start(.exchange(world.request("POST", "/u", body: upload))) }
        _ = world.start(.measurePartial(path: world.partial, directory: world.directory.path))
        try latch.waitForArrivals()
        world.waitUntilReceived(20_000_000, ticket)
        world.shutDown()
        let count = world.log.all.count
        #expect(world.events(of: ticket).allSatisfy { !$0.isEnding })
        #expect(try world.contentOfPartial() == content.bytes(0..<20_000_000))
        world.shutDown()
        _ = world.start(.exchange(world.download("/f")))
        #expect(world.log.all.count == count)
    }

    @Test func anUnusedEngineEndsAtOnce() throws {
        let engine = try Engine.overLibcurl { _ in }
        engine.shutDown()
    }

    @Test func manySmallDownloadsAllArrive() throws {
        let content = Content(seed: 102, length: 16_000)
        let world = try World(["/f*": .decided { request, _ in .file(content).header("X-Path", request.path) }])
        let tickets = (0..<200).map { number in
            var plan = world.download("/f\(number)")
            plan.sink = .partial(
                PartialPlan(path: world.directory.path("\(number).part"), resume: nil, digests: [.md5]))
            return world.start(.exchange(plan))
        }
        for (number, ticket) in tickets.enumerated() {
            let outcome = try world.outcome(of: ticket)
            #expect(outcome.disposition == .written(length: 16_000, isComplete: true))
            #expect(outcome.head?.headers.single("X-Path") == "/f\(number)")
            #expect(try world.directory.read("\(number).part") == content.bytes())
        }
    }

    @Test func aConnectionIsUsedAgainUnlessThatIsForbidden() throws {
        let world = try World(["/f": Route(.status(200))])
        for _ in 0..<5 { _ = try world.exchange(world.request("GET", "/f")) }
        #expect(world.server.connections == 1)
        var plan = world.request("GET", "/f")
        plan.connection = .unused
        _ = try world.exchange(plan)
        #expect(world.server.connections == 2)
    }

    @Test func checkpointsReportIncreasingSyncedLengths() throws {
        let content = Content(seed: 103, length: 8_000_000)
        // The whole body may have arrived before any of it is written, and then its end comes first.
        let latch = Latch()
        let world = try World(["/f": Route(.file(content).stalled(after: 4_000_000, by: latch))])
        var plan = world.download("/f", checkpointInterval: 1_000_000)
        plan.network.timeoutIntervalForRequest = .zero
        let ticket = world.start(.exchange(plan))
        #expect(try world.waitUntilWritten(2_000_000) >= 2_000_000)
        latch.open()
        let outcome = try world.outcome(of: ticket)
        #expect(outcome.disposition == .written(length: content.length, isComplete: true))
        let lengths = world.events(of: ticket).compactMap { event -> Int64? in
            if case .checkpoint(let length) = event { length } else { nil }
        }
        #expect(!lengths.isEmpty && lengths == lengths.sorted())
        #expect(lengths.allSatisfy { $0 >= 1_000_000 && $0 <= content.length })
        #expect(world.events(of: ticket).last?.isEnding == true)
    }

    @Test func aRateLimitSlowsUntilItIsLifted() throws {
        let content = Content(seed: 104, length: 4_000_000)
        let world = try World(["/f": Route(.file(content))])
        var plan = world.download("/f")
        plan.rateLimit = 20_000
        let ticket = world.start(.exchange(plan))
        _ = try world.next(ticket) { if case .receiving = $0 { true } else { false } }
        // Without the limit it would have ended long before: 4 MB take 200 s.
        #expect(try #require(world.engine.progress(of: ticket)).received < content.length)
        world.engine.setRateLimit(nil, of: ticket)
        #expect(try world.outcome(of: ticket).disposition == .written(length: content.length, isComplete: true))
    }

    /// libcurl's own limiter would count earlier bytes, and pause for ten minutes: longer than the timeout.
    @Test func loweredRateLimitIgnoresEarlierBytes() throws {
        let content = Content(seed: 106, length: 24_000_000)
        let latch = Latch()
        let world = try World(["/f": Route(.file(content).stalled(after: 20_000_000, by: latch))])
        var plan = world.download("/f")
        plan.rateLimit = 1 << 40
        plan.network.timeoutIntervalForRequest = .seconds(60)
        let ticket = world.start(.exchange(plan))
        try latch.waitForArrivals()
        world.waitUntilReceived(20_000_000, ticket)
        world.engine.setRateLimit(33_000, of: ticket)
        latch.open()
        try world.waitUntilMoved(20_100_000, ticket)
        world.engine.setRateLimit(nil, of: ticket)
        #expect(try world.outcome(of: ticket).disposition == .written(length: content.length, isComplete: true))
        #expect(try world.contentOfPartial() == content.bytes())
    }

    @Test func loweredRateLimitIgnoresBytesUploadedEarlier() throws {
        let content = Content(seed: 107, length: 24_000_000)
        let latch = Latch()
        let world = try World(["/u": Route(.status(200).intake(.stall(after: 12_000_000, latch)))])
        var plan = world.request("PUT", "/u", body: try world.fileBody(content))
        plan.rateLimit = 1 << 40
        plan.network.timeoutIntervalForRequest = .seconds(60)
        let ticket = world.start(.exchange(plan))
        try latch.waitForArrivals()
        world.engine.setRateLimit(33_000, of: ticket)
        latch.open()
        let before = try #require(world.engine.progress(of: ticket)).sent
        try world.waitUntilMoved(before + 100_000, ticket)
        world.engine.setRateLimit(nil, of: ticket)
        #expect(try world.outcome(of: ticket).ending == .responded)
        #expect(world.server.requests[0].bodyChecksum == content.checksum)
    }

    @Test func largeBodyTakesNoMoreMemoryThanSmallOne() throws {
        let latch = Latch()
        let length: Int64 = 256 << 20
        let big = Reply.file(Content(seed: 105, length: length)).stalled(after: length - 1, by: latch)
        let world = try World(["/big": Route(big), "/small": Route(.file(Content(seed: 105, length: 10 << 20)))])
        _ = try world.exchange(world.request("GET", "/small", limit: 1_000))
        let before = try residentKilobytes()
        let ticket = world.start(.exchange(world.request("GET", "/big", limit: 1_000)))
        world.waitUntilReceived(length - 1, ticket)
        // A body kept in memory would still be allocated, and show as 256 MiB. The memory of other tests in this process is temporary.
        let deadline = ContinuousClock.now + .patience
        while try residentKilobytes() - before >= 128 << 10, ContinuousClock.now < deadline { usleep(10_000) }
        #expect(try residentKilobytes() - before < 128 << 10)
        latch.open()
        #expect(try world.outcome(of: ticket).ending == .responded)
    }

    private func residentKilobytes() throws -> Int {
        let status = String(decoding: try readAll("/proc/self/status"), as: UTF8.self)
        let line = try #require(status.split(separator: "\n").first { $0.hasPrefix("VmRSS:") })
        return try #require(Int(line.filter(\.isNumber)))
    }
}
