import Glibc
import LonghaulCore
import LonghaulCurl
import LonghaulSystem
import TestSupport
import Testing

/// How long a server that is alive may be silent, phase by phase, with the default limits.
@Suite(.tags(.libcurl), .onEachPath) struct SilenceTests {
    enum Request: CaseIterable {
        case get
        case put
        case post
        case form
        case tusCreation
        case tusPart

        func plan(_ world: World) throws -> ExchangePlan {
            let tus = [HeaderField("Tus-Resumable", "1.0.0")]
            switch self {
            case .get: return world.request("GET", "/r")
            case .put: return world.request("PUT", "/r", body: try world.fileBody(content))
            case .post: return world.request("POST", "/r", body: try world.fileBody(content, holdsLastBytes: true))
            case .form:
                let parts: [BodyPlan.Segment] = [
                    .bytes(Array("--b\r\n\r\n".utf8)),
                    .file(try world.source(content), offset: 0, length: content.length),
                    .bytes(Array("\r\n--b--\r\n".utf8)),
                ]
                let plan = BodyPlan(segments: parts, length: content.length + 16, holdsLastBytes: true)
                return world.request("POST", "/r", body: plan)
            case .tusCreation:
                let length = HeaderField("Upload-Length", "\(content.length)")
                return world.request("POST", "/r", body: body([]), headers: tus + [length])
            case .tusPart:
                let offset = HeaderField("Upload-Offset", "0")
                return world.request("PATCH", "/r", body: try world.fileBody(content), headers: tus + [offset])
            }
        }

        var bodyLength: Int64 {
            switch self {
            case .get, .tusCreation: 0
            case .form: content.length + 16
            case .put, .post, .tusPart: content.length
            }
        }
    }

    private static let content = Content(seed: 71, length: 1_000_000)
    private static let big = Content(seed: 72, length: 40_000_000)

    /// Starts a request, and waits until the server has all of it.
    private func start(
        _ request: Request, _ world: World, at latch: Latch, _ change: (inout ExchangePlan) -> Void = { _ in }
    ) throws -> Ticket {
        var plan = try request.plan(world)
        change(&plan)
        let ticket = world.start(.exchange(plan))
        if plan.body?.holdsLastBytes == true {
            _ = try world.next(ticket) { $0 == .lastBytesHeld }
            world.engine.release(ticket, .sendRest)
        }
        try latch.waitForArrivals()
        try world.waitUntilAcknowledged()
        // The engine sees that the last byte has left.
        try world.advance(by: .seconds(2))
        return ticket
    }

    @Test(arguments: Request.allCases, [75, 600] as [Int64])
    func lateResponseTakesOneRequest(request: Request, seconds: Int64) throws {
        let latch = Latch()
        let world = try World(["/r": Route(.status(201).held(by: latch))])
        let ticket = try start(request, world, at: latch)
        try world.advance(by: .seconds(seconds))
        #expect(world.isRunning(ticket))
        latch.open()
        let outcome = try world.outcome(of: ticket)
        #expect(outcome.ending == .responded && outcome.head?.status == 201, "\(outcome)")
        #expect(world.server.requests.map(\.bodyLength) == [request.bodyLength])
    }

    @Test(arguments: Request.allCases) func responseLimitEndsExchange(request: Request) throws {
        let latch = Latch()
        let world = try World(["/r": Route(.status(201).held(by: latch))])
        let ticket = try start(request, world, at: latch)
        try world.advance(by: .seconds(1_790))
        #expect(world.isRunning(ticket))
        let failure = try #require(try world.outcome(of: ticket, advancingBy: .seconds(1_800)).failure)
        #expect(failure.code == .timedOut)
        #expect(
            failure.message
                == "127.0.0.1:\(world.server.port) sent no response for 30 min (--response-timeout).")
        #expect(world.server.requests.map(\.bodyLength) == [request.bodyLength])
    }

    @Test func responseWithoutLimitIsAwaitedForDays() throws {
        let latch = Latch()
        let world = try World(["/r": Route(.status(201).held(by: latch))])
        let ticket = try start(.put, world, at: latch) { $0.network.timeoutIntervalForResponse = .zero }
        try world.advance(by: .seconds(400_000))
        #expect(world.isRunning(ticket))
        latch.open()
        #expect(try world.outcome(of: ticket).ending == .responded)
    }

    @Test func provisionalResponseRestartsResponseLimit() throws {
        let (before, after) = (Latch(), Latch())
        let reply = Reply.status(201).interim(102).held(by: after)
        let world = try World([
            "/r": .decided { _, _ in
                before.pass()
                return reply
            }
        ])
        let ticket = try start(.get, world, at: before)
        try world.advance(by: .seconds(1_500))
        before.open()
        try after.waitForArrivals()
        // The engine reports no provisional response, so it gets time to read it.
        for _ in 0..<125 {
            usleep(10_000)
            try world.advance(by: .seconds(2))
        }
        try world.advance(by: .seconds(1_500))
        #expect(world.isRunning(ticket))
        after.open()
        #expect(try world.outcome(of: ticket).head?.status == 201)
    }

    @Test(arguments: [75, 240] as [Int64]) func stalledUploadResumesOnItsConnection(seconds: Int64) throws {
        let latch = Latch()
        let world = try World(["/u": Route(.status(201).intake(.stall(after: 1_000, latch)))])
        let ticket = world.start(.exchange(world.request("PUT", "/u", body: try world.fileBody(Self.big))))
        try latch.waitForArrivals()
        try world.advance(by: .seconds(seconds))
        #expect(world.isRunning(ticket))
        latch.open()
        #expect(try world.outcome(of: ticket).head?.status == 201)
        #expect(world.server.requests.map(\.bodyChecksum) == [Self.big.checksum])
    }

    @Test(arguments: [75, 240] as [Int64]) func stalledDownloadResumesOnItsConnection(seconds: Int64) throws {
        let latch = Latch()
        let world = try World(["/d": Route(.file(Self.content).stalled(after: 300_000, by: latch))])
        let ticket = world.start(.exchange(world.download("/d")))
        world.waitUntilReceived(300_000, ticket)
        try world.advance(by: .seconds(seconds))
        #expect(world.isRunning(ticket))
        latch.open()
        let outcome = try world.outcome(of: ticket)
        #expect(outcome.disposition == .written(length: Self.content.length, isComplete: true))
        #expect(world.server.requests.count == 1)
    }

    @Test func stallLimitEndsUpload() throws {
        let latch = Latch()
        let world = try World(["/u": Route(Reply().intake(.stall(after: 1_000, latch)))])
        let ticket = world.start(.exchange(world.request("POST", "/u", body: try world.fileBody(Self.big))))
        try latch.waitForArrivals()
        let failure = try #require(try world.outcome(of: ticket, advancingBy: .seconds(300)).failure)
        #expect(failure.code == .timedOut)
        #expect(
            failure.message
                == "127.0.0.1:\(world.server.port) accepted no data for 5 min (--stall-timeout).")
    }

    @Test func stallLimitEndsDownload() throws {
        let world = try World(["/d": Route(.file(Self.content).stalled(after: 300_000, by: Latch()))])
        let ticket = world.start(.exchange(world.download("/d")))
        world.waitUntilReceived(300_000, ticket)
        try world.advance(by: .seconds(2))
        try world.advance(by: .seconds(290))
        #expect(world.isRunning(ticket))
        let outcome = try world.outcome(of: ticket, advancingBy: .seconds(300))
        #expect(outcome.failure?.code == .timedOut)
        #expect(
            outcome.failure?.message
                == "127.0.0.1:\(world.server.port) sent no data for 5 min (--stall-timeout).")
        #expect(outcome.disposition == .written(length: 300_000, isComplete: false))
    }
}

extension World {
    /// Waits until the server's kernel has acknowledged all that this process sent to the server.
    fileprivate func waitUntilAcknowledged() throws {
        let deadline = ContinuousClock.now + .patience
        while (Int32(3)..<4_096).contains(where: hasUnacknowledgedBytes) {
            try #require(ContinuousClock.now < deadline)
            usleep(500)
        }
    }

    private func hasUnacknowledgedBytes(_ descriptor: Int32) -> Bool {
        var peer = sockaddr_in()
        var size = socklen_t(MemoryLayout<sockaddr_in>.size)
        let result = withUnsafeMutablePointer(to: &peer) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { getpeername(descriptor, $0, &size) }
        }
        guard result == 0, peer.sin_family == sa_family_t(AF_INET), Int(UInt16(bigEndian: peer.sin_port)) == server.port
        else { return false }
        return LentDescriptor(descriptor).unsentBytes > 0
    }
}
