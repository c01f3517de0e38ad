import Glibc
import LonghaulCore
import LonghaulCurl
import TestSupport
import Testing

/// A file system that is too small for the bodies.
@Suite(.enabled(if: SmallVolume.missing == nil, "\(SmallVolume.missing ?? "")"), .onEachPath)
struct DiskFullTests {
    private func downloaded(_ reply: Reply) throws -> (ExchangeOutcome, exists: Bool, length: Int64) {
        let world = try World(["/f": Route(reply)])
        let volume = try SmallVolume(.tmpfs, in: world.directory, "volume", bytes: 2 << 20)
        var plan = world.download("/f")
        plan.sink = .partial(PartialPlan(path: volume.path + "/f.part", resume: nil, digests: []))
        let outcome = try world.exchange(plan)
        var status = stat()
        let exists = stat(volume.path + "/f.part", &status) == 0
        return (outcome, exists, Int64(status.st_size))
    }

    @Test func aKnownLengthThatDoesNotFitIsRefusedBeforeTheFirstByte() throws {
        let (outcome, _, length) = try downloaded(.file(Content(seed: 1, length: 8 << 20)))
        #expect(outcome.failure?.code == .diskFull && length == 0)
    }

    @Test func bytesThatFitAreKept() throws {
        let (outcome, exists, length) = try downloaded(.file(Content(seed: 1, length: 8 << 20)).framed(.chunked))
        #expect(outcome.failure?.code == .diskFull && exists && length > 1 << 20)
        #expect(outcome.disposition == .written(length: length, isComplete: false))
    }
}

/// File systems that differ from the present one: without O_DIRECT, or unable to reserve space.
@Suite(.onEachTransport, .enabled(if: SmallVolume.missing == nil, "\(SmallVolume.missing ?? "")"))
struct OtherFileSystemTests {
    private static let content = Content(seed: 7, length: 12 << 20)

    @Test func bufferedWriteReplacesUnsupportedDirectWrite() throws {
        let world = try World(["/f": Route(.file(Self.content, etag: "\"v1\""))])
        let volume = try SmallVolume(.ramfs, in: world.directory, "volume", bytes: 16 << 20)
        var plan = world.download("/f")
        plan.sink = .partial(PartialPlan(path: volume.path + "/f.part", resume: nil, digests: [.sha256]))
        let outcome = try world.exchange(plan)
        #expect(outcome.disposition == .written(length: Self.content.length, isComplete: true), "\(outcome)")
        #expect(try readAll(volume.path + "/f.part") == Self.content.bytes())
    }

    /// Another file takes its space while the body is arriving.
    @Test(arguments: [BodyPathRule(), .libcurl, .writer]) func aDiskThatFillsUpInTheMiddleKeepsWhatFitted(
        rule: BodyPathRule
    ) throws {
        try EachPath.$rule.withValue(rule) {
            let latch = Latch()
            let world = try World(["/f": Route(.file(Self.content, etag: "\"v1\"").stalled(after: 6 << 20, by: latch))])
            let volume = try SmallVolume(.image, in: world.directory, "volume", bytes: 20 << 20)
            let path = volume.path + "/f.part"
            var plan = world.download("/f")
            plan.sink = .partial(PartialPlan(path: path, resume: nil, digests: []))
            let ticket = world.start(.exchange(plan))
            try latch.waitForArrivals()
            world.waitUntilReceived(6 << 20, ticket)
            try volume.fillUp()
            latch.open()
            let outcome = try world.outcome(of: ticket)
            let kept = try readAll(path)
            #expect(outcome.failure?.code == .diskFull, "\(outcome)")
            #expect(outcome.disposition == .written(length: Int64(kept.count), isComplete: false))
            #expect(kept == Self.content.bytes(0..<Int64(kept.count)) && kept.count < Self.content.length)
            try volume.makeRoom()
            world.server.setRoute("/f", .file(Self.content, etag: "\"v1\""))
            var second = world.download("/f", resume: .at(Int64(kept.count)))
            second.sink = .partial(PartialPlan(path: path, resume: .at(Int64(kept.count)), digests: []))
            #expect(
                try world.exchange(second).disposition == .written(length: Self.content.length, isComplete: true))
            #expect(try readAll(path) == Self.content.bytes())
        }
    }
}
