import Glibc
import LonghaulCore
import LonghaulCurl
import TestSupport
import Testing

/// Connections that the engine reads and writes itself.
@Suite(
    .tags(.libcurl), .onEachTransport,
    .enabled(if: CurlEngine.directPaths != .none, "all bodies go through this libcurl"))
struct TakeOverTests {
    static let content = Content(seed: 201, length: 30_000_000)

    @Test(arguments: [0, 1, 4_095, 4_096, 12_345])
    func aDownloadIsReceivedPastLibcurlFromAnyByte(start: Int64) throws {
        let latch = Latch()
        let world = try World(["/f": Route(.file(Self.content, etag: "\"v1\"").stalled(after: 20_000_000, by: latch))])
        try world.directory.write(Self.content.bytes(0..<start), to: "file.part")
        let resume: ResumePoint? = start == 0 ? nil : .at(start)
        let ticket = world.start(.exchange(world.download("/f", resume: resume)))
        try latch.waitForArrivals()
        world.waitUntilReceived(20_000_000, ticket)
        #expect(hasStandIn())
        latch.open()
        #expect(
            try world.outcome(of: ticket).disposition == .written(length: Self.content.length, isComplete: true))
        #expect(try world.contentOfPartial() == Self.content.bytes())
    }

    /// Except the last incomplete block. If the process is killed during the stall, no more than that is lost.
    @Test(arguments: [BodyPathRule(), .writer], [500_000, 20_000_000] as [Int64])
    func stalledDownloadWritesAllItReceived(rule: BodyPathRule, count: Int64) throws {
        try EachPath.$rule.withValue(rule) {
            let latch = Latch()
            let world = try World(["/f": Route(.file(Self.content).stalled(after: count, by: latch))])
            var plan = world.download("/f", digests: [.sha512])
            plan.network.timeoutIntervalForRequest = .zero
            let ticket = world.start(.exchange(plan))
            world.waitUntilReceived(count, ticket)
            #expect(try world.waitUntilWritten(count - 4_095) > count - 4_096)
            latch.open()
            #expect(
                try world.outcome(of: ticket).disposition == .written(length: Self.content.length, isComplete: true))
            #expect(try world.contentOfPartial() == Self.content.bytes())
        }
    }

    @Test func anUploadLeavesPastLibcurl() throws {
        let latch = Latch()
        let world = try World(["/u": Route(.status(200).intake(.stall(after: 1_000_000, latch)))])
        let ticket = world.start(.exchange(world.request("PUT", "/u", body: try world.fileBody(Self.content))))
        try latch.waitForArrivals()
        #expect(world.sharedConnections == 1)
        latch.open()
        let outcome = try world.outcome(of: ticket)
        #expect(outcome.ending == .responded && outcome.bytesSent == Self.content.length)
        #expect(world.server.requests[0].bodyChecksum == Self.content.checksum)
    }

    @Test func theConnectionOfAnUploadIsUsedAgain() throws {
        // Before 8.1, each upload to a server with HTTP/2 alone has its own connection.
        let world = try World(["/u": Route(.status(200))], settings: .withHTTP1)
        let plan = world.request("PUT", "/u", body: try world.fileBody(Self.content))
        for _ in 0..<3 { #expect(try world.exchange(plan).ending == .responded) }
        #expect(world.server.connections == 1)
        #expect(world.server.requests.allSatisfy { $0.bodyChecksum == Self.content.checksum })
    }

    @Test func provisionalAnswersDoNotDisturbAnUpload() throws {
        var reply = Reply.status(201)
        reply.interims = [
            Reply.Interim(104, headers: [HeaderField("Upload-Offset", "0")]),
            Reply.Interim(104, headers: [HeaderField("Upload-Offset", "30000000")], moment: .beforeAnswer),
        ]
        let world = try World(["/u": Route(reply)])
        let outcome = try world.exchange(world.request("POST", "/u", body: try world.fileBody(Self.content)))
        #expect(outcome.ending == .responded && outcome.head?.status == 201)
        #expect(try world.server.waitForFinishedRequests(1)[0].bodyChecksum == Self.content.checksum)
    }

    @Test func aRateLimitGivesADownloadBackToLibcurl() throws {
        let latch = Latch()
        let world = try World(["/f": Route(.file(Self.content).stalled(after: 20_000_000, by: latch))])
        let ticket = world.start(.exchange(world.download("/f")))
        try latch.waitForArrivals()
        world.waitUntilReceived(20_000_000, ticket)
        world.engine.setRateLimit(1 << 40, of: ticket)
        latch.open()
        let outcome = try world.outcome(of: ticket)
        #expect(outcome.ending == .responded)
        #expect(outcome.disposition == .written(length: Self.content.length, isComplete: true))
        #expect(try world.contentOfPartial() == Self.content.bytes())
    }

    /// libcurl's own limiter would read half a megabyte at once, and then stay silent for five seconds.
    @Test func pausesOfNewRateLimitAreNoSilence() throws {
        let latch = Latch()
        let world = try World(["/f": Route(.file(Self.content).stalled(after: 29_500_000, by: latch))])
        var plan = world.download("/f")
        plan.network.timeoutIntervalForRequest = .seconds(2)
        let ticket = world.start(.exchange(plan))
        try latch.waitForArrivals()
        world.waitUntilReceived(29_500_000, ticket)
        world.engine.setRateLimit(100_000, of: ticket)
        latch.open()
        try world.waitUntilMoved(Self.content.length, ticket)
        let outcome = try world.outcome(of: ticket)
        #expect(outcome.disposition == .written(length: Self.content.length, isComplete: true))
        #expect(try world.contentOfPartial() == Self.content.bytes())
    }

    @Test func aRateLimitGivesAnUploadBackToLibcurl() throws {
        let latch = Latch()
        let world = try World(["/u": Route(.status(200).intake(.stall(after: 1_000_000, latch)))])
        let ticket = world.start(.exchange(world.request("PUT", "/u", body: try world.fileBody(Self.content))))
        try latch.waitForArrivals()
        world.engine.setRateLimit(1 << 40, of: ticket)
        latch.open()
        #expect(try world.outcome(of: ticket).bytesSent == Self.content.length)
        #expect(world.server.requests[0].bodyChecksum == Self.content.checksum)
    }

    @Test func moreDownloadsThanWritersAllArrive() throws {
        let content = Content(seed: 202, length: 8_000_000)
        let latch = Latch()
        let world = try World(["/f": Route(.file(content).stalled(after: 6_000_000, by: latch))])
        let tickets = (0..<24).map { number in
            var plan = world.download("/f")
            plan.sink = .partial(
                PartialPlan(path: world.directory.path("\(number).part"), resume: nil, digests: [.sha256]))
            return world.start(.exchange(plan))
        }
        for ticket in tickets { world.waitUntilReceived(6_000_000, ticket) }
        latch.open()
        for ticket in tickets {
            #expect(try world.outcome(of: ticket).disposition == .written(length: content.length, isComplete: true))
        }
        #expect(try world.directory.read("23.part") == content.bytes())
    }
}

extension World {
    /// Connections to the server that this process holds twice: by libcurl's descriptor and by the engine's.
    fileprivate var sharedConnections: Int {
        var counts: [UInt64: Int] = [:]
        for descriptor in Int32(3)..<4_096 {
            let peer = Endpoint(of: descriptor, asking: getpeername)
            if peer?.port == server.port, let inode = inode(of: descriptor) { counts[inode, default: 0] += 1 }
        }
        return counts.values.filter { $0 > 1 }.count
    }
}

/// Returns whether an engine of this process has replaced a connection by a silent socket.
private func hasStandIn() -> Bool {
    var seen: Set<UInt64> = []
    for descriptor in Int32(3)..<4_096 {
        guard Endpoint(of: descriptor, asking: getsockname)?.isUnnamed == true, let inode = inode(of: descriptor) else {
            continue
        }
        if !seen.insert(inode).inserted { return true }
    }
    return false
}

private func inode(of descriptor: Int32) -> UInt64? {
    var status = stat()
    return fstat(descriptor, &status) == 0 ? UInt64(status.st_ino) : nil
}

/// One side of a socket.
private struct Endpoint {
    /// Of the internet's families.
    var port: Int?
    var isUnnamed: Bool

    typealias Question = (Int32, UnsafeMutablePointer<sockaddr>, UnsafeMutablePointer<socklen_t>) -> Int32

    init?(of descriptor: Int32, asking: Question) {
        var storage = sockaddr_storage()
        var size = socklen_t(MemoryLayout<sockaddr_storage>.size)
        let port: UInt16? = withUnsafeMutableBytes(of: &storage) { bytes in
            guard let address = bytes.baseAddress?.assumingMemoryBound(to: sockaddr.self),
                asking(descriptor, address, &size) == 0
            else { return nil }
            return UInt16(bigEndian: bytes.load(fromByteOffset: 2, as: UInt16.self))
        }
        guard let port else { return nil }
        let family = Int32(storage.ss_family)
        self.port = family == AF_INET || family == AF_INET6 ? Int(port) : nil
        isUnnamed = family == AF_UNIX && Int(size) == MemoryLayout<sa_family_t>.size
    }
}
