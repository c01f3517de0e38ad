import LonghaulCore
import LonghaulCurl
import TestSupport
import Testing

@Suite(.tags(.libcurl), .onEachPath) struct DownloadTests {
    static let content = Content(seed: 7, length: 3_000_000)
    static let small = Content(seed: 8, length: 20_000)

    @Test(arguments: [
        content, small, Content(seed: 1, length: 0), Content(seed: 2, length: 1), Content(seed: 3, length: 262_144),
    ])
    func aFreshDownloadIsWrittenWhole(content: Content) throws {
        let world = try World(["/f": Route(.file(content, etag: "\"v1\""))])
        let ticket = world.start(.exchange(world.download("/f")))
        let outcome = try world.outcome(of: ticket)
        #expect(outcome.ending == .responded)
        #expect(outcome.disposition == .written(length: content.length, isComplete: true))
        #expect(try world.contentOfPartial() == content.bytes())
        let head = try #require(outcome.head)
        #expect(head.status == 200 && head.headers.single("etag") == "\"v1\"")
        #expect(head.effectiveURL == world.server.url("/f"))
        // A body that is written at once at its end is not announced.
        #expect(world.events(of: ticket).contains(.receiving(head)) == (content.length > EachPath.rule.longestGathered))
    }

    @Test func aFreshDownloadReplacesWhatAnOldPartialFileHeld() throws {
        let world = try World(["/f": Route(.file(Self.small))])
        try world.directory.write([UInt8](repeating: 1, count: 90_000), to: "file.part")
        _ = try world.exchange(world.download("/f"))
        #expect(try world.contentOfPartial() == Self.small.bytes())
    }

    @Test(arguments: [content, small])
    func resumedDownloadContinuesAtItsOffset(content: Content) throws {
        let world = try World(["/f": Route(.file(content, etag: "\"v1\""))])
        try world.directory.write(content.bytes(0..<12_345), to: "file.part")
        let outcome = try world.exchange(world.download("/f", resume: .at(12_345)))
        #expect(outcome.disposition == .written(length: content.length, isComplete: true))
        #expect(outcome.head?.status == 206)
        #expect(try world.contentOfPartial() == content.bytes())
    }

    @Test func bytesBeyondResumeOffsetAreCutOff() throws {
        let world = try World(["/f": Route(.file(Self.content, etag: "\"v1\""))])
        try world.directory.write(Self.content.bytes(0..<5_000) + [9, 9, 9], to: "file.part")
        _ = try world.exchange(world.download("/f", resume: .at(5_000)))
        #expect(try world.contentOfPartial() == Self.content.bytes())
    }

    @Test func aPartialFileThatIsTooShortIsNotWrittenOn() throws {
        let world = try World(["/f": Route(.file(Self.content, etag: "\"v1\""))])
        try world.directory.write(Self.content.bytes(0..<4_000), to: "file.part")
        let outcome = try world.exchange(world.download("/f", resume: .at(5_000)))
        #expect(outcome.failure?.code == .fileFailed)
        #expect(try world.contentOfPartial() == Self.content.bytes(0..<4_000))
    }

    @Test(arguments: [content, small])
    func anOverlapThatAgreesIsNotWrittenTwice(content: Content) throws {
        let world = try World(["/f": Route(.file(content, etag: "\"v1\""))])
        try world.directory.write(content.bytes(0..<10_000), to: "file.part")
        let ticket = world.start(.exchange(world.download("/f", resume: .at(10_000, overlap: 4_096))))
        let outcome = try world.outcome(of: ticket)
        #expect(outcome.disposition == .written(length: content.length, isComplete: true))
        #expect(world.server.requests[0].header("Range") == "bytes=5904-")
        #expect(try world.contentOfPartial() == content.bytes())
    }

    @Test func anOverlapThatDiffersLeavesTheFileAlone() throws {
        let world = try World(["/f": Route(.file(Self.content, etag: "\"v1\""))])
        let old = Content(seed: 99, length: 10_000).bytes()
        try world.directory.write(old, to: "file.part")
        let outcome = try world.exchange(world.download("/f", resume: .at(10_000, overlap: 4_096)))
        #expect(outcome.disposition == .overlapDiffers)
        #expect(outcome.ending == .responded)
        #expect(try world.contentOfPartial() == old)
    }

    @Test func onlyTheOverlapIsComparedWhenNothingIsMissing() throws {
        let world = try World(["/f": Route(.file(Self.small, etag: "\"v1\""))])
        try world.directory.write(Self.small, to: "file.part")
        let resume = ResumePoint.at(20_000, overlap: 1_000, total: 20_000)
        let outcome = try world.exchange(world.download("/f", resume: resume))
        #expect(outcome.disposition == .written(length: 20_000, isComplete: true))
    }

    @Test func aRefusedBodyIsKeptOnlyInPart() throws {
        let world = try World(["/f": Route(.status(404, body: String(repeating: "x", count: 1 << 20)))])
        let outcome = try world.exchange(world.download("/f"))
        #expect(outcome.ending == .responded && outcome.disposition == .refused(.status))
        #expect(outcome.body.count == 64 << 10 && outcome.isBodyTruncated)
        #expect(!world.directory.exists("file.part"))
    }

    @Test func refusalWithOverstatedLengthEndsEarly() throws {
        let latch = Latch()
        var lie = Reply.status(416, headers: [HeaderField("Content-Range", "bytes */5000")], body: "no")
        lie.framing = .contentLengthOff(by: 1_000_000)
        lie.faults = [.stall(after: 2, latch)]
        let world = try World(["/f": Route(lie)])
        try world.directory.write(Self.small.bytes(0..<5_000), to: "file.part")
        let ticket = world.start(.exchange(world.download("/f", resume: .at(5_000))))
        world.waitUntilReceived(2, ticket)
        try world.advance(by: .seconds(2))
        let outcome = try world.outcome(of: ticket)
        #expect(outcome.ending == .responded && outcome.disposition == .refused(.alreadyComplete))
        #expect(outcome.body == Array("no".utf8) && outcome.isBodyTruncated)
    }

    @Test(arguments: [(412, DownloadVerdict.Refusal.changed), (416, .alreadyComplete), (403, .status)])
    func errorStatusMapsToRefusalAndKeepsPartialFile(status: Int, refusal: DownloadVerdict.Refusal) throws {
        let world = try World(["/f": Route(.status(status))])
        try world.directory.write([1, 2, 3], to: "file.part")
        let outcome = try world.exchange(world.download("/f", resume: .at(3)))
        #expect(outcome.disposition == .refused(refusal))
        #expect(try world.contentOfPartial() == [1, 2, 3])
    }

    @Test func aWrongContentRangeIsRefusedBeforeAByteIsWritten() throws {
        var manners = RangeManners()
        manners.contentRange = .shifted(by: 1)
        let world = try World(["/f": Route(.file(Self.content, etag: "\"v1\"", ranges: manners))])
        try world.directory.write(Self.content.bytes(0..<5_000), to: "file.part")
        let outcome = try world.exchange(world.download("/f", resume: .at(5_000)))
        guard case .refused(.rangeUnusable) = outcome.disposition else { throw Unexpected() }
        #expect(try world.contentOfPartial() == Self.content.bytes(0..<5_000))
    }
}
