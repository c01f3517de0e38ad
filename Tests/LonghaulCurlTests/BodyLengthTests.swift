import LonghaulCore
import TestSupport
import Testing

/// The end of a body (RFC 9112, section 6.3).
@Suite(.tags(.libcurl), .onEachPath) struct BodyLengthTests {
    static let content = Content(seed: 31, length: 700_000)

    private func outcome(_ reply: Reply, resume: ResumePoint? = nil) throws -> (World, ExchangeOutcome) {
        let world = try World(["/f": Route(reply)])
        if let resume { try world.directory.write(Self.content.bytes(0..<resume.length), to: "file.part") }
        return (world, try world.exchange(world.download("/f", resume: resume)))
    }

    @Test(arguments: [0, 1, 100_000, 262_144, 699_999])
    func aBodyThatBreaksOffKeepsWhatCame(length: Int64) throws {
        let (world, outcome) = try outcome(.file(Self.content).cut(after: length))
        #expect(outcome.failure?.code == .connectionLost)
        #expect(outcome.disposition == .written(length: length, isComplete: false))
        #expect(try world.contentOfPartial() == Self.content.bytes(0..<length))
        #expect(outcome.head?.status == 200)
    }

    @Test func aResetInMidBodyIsALostConnection() throws {
        let (world, outcome) = try outcome(.file(Self.content).reset(after: 300_000))
        #expect(outcome.failure?.code == .connectionLost)
        guard case .written(let length, false) = outcome.disposition else { throw Unexpected() }
        #expect(try world.contentOfPartial() == Self.content.bytes(0..<length))
    }

    @Test func aChunkedBodyIsCompleteWithItsLastChunk() throws {
        let (world, outcome) = try outcome(.file(Self.content).framed(.chunked))
        #expect(outcome.disposition == .written(length: Self.content.length, isComplete: true))
        #expect(try world.contentOfPartial() == Self.content.bytes())
    }

    @Test func aChunkedBodyWithoutItsLastChunkIsNotComplete() throws {
        let (_, outcome) = try outcome(.file(Self.content).framed(.chunkedWithoutEnd))
        #expect(outcome.failure?.code == .connectionLost)
        #expect(outcome.disposition == .written(length: Self.content.length, isComplete: false))
    }

    @Test func aBodyThatEndsWithItsConnectionIsTaken() throws {
        let (_, outcome) = try outcome(.file(Self.content).framed(.untilClose).ending(.closes))
        #expect(outcome.ending == .responded)
        #expect(outcome.disposition == .written(length: Self.content.length, isComplete: true))
    }

    @Test func aBodyThatEndsWithAResetIsNotTaken() throws {
        let (_, outcome) = try outcome(.file(Self.content).framed(.untilClose).reset(after: Self.content.length))
        #expect(outcome.failure?.code == .connectionLost)
        guard case .written(_, false) = outcome.disposition else { throw Unexpected() }
    }

    @Test func bytesBeyondTheAnnouncedPartAreNeverWritten() throws {
        var reply = Reply(status: 206).framed(.chunked)
        reply.headers = [HeaderField("ETag", "\"v1\""), HeaderField("Content-Range", "bytes 1000-1999/5000")]
        reply.body = Self.content.bytes(1_000..<3_000)
        let (world, outcome) = try outcome(reply, resume: .at(1_000))
        #expect(outcome.failure?.code == .lengthMismatch)
        #expect(outcome.disposition == .written(length: 2_000, isComplete: false))
        #expect(try world.contentOfPartial() == Self.content.bytes(0..<2_000))
    }

    @Test func fewerBytesThanTheAnnouncedPartAreNotComplete() throws {
        var reply = Reply(status: 206).framed(.chunked)
        reply.headers = [HeaderField("ETag", "\"v1\""), HeaderField("Content-Range", "bytes 1000-4999/5000")]
        reply.body = Self.content.bytes(1_000..<3_000)
        let (_, outcome) = try outcome(reply, resume: .at(1_000))
        #expect(outcome.failure?.code == .lengthMismatch)
        #expect(outcome.disposition == .written(length: 3_000, isComplete: false))
    }

    @Test func bytesBeyondContentLengthAreNotWritten() throws {
        let (world, outcome) = try outcome(.file(Self.content).framed(.contentLengthOff(by: -1_000)))
        let announced = Self.content.length - 1_000
        if Transport.current == .http2 {
            // The length and the frames of a message must match (RFC 9113, section 8.1.1).
            guard case .written(let length, false) = outcome.disposition else { throw Unexpected() }
            #expect(outcome.failure != nil && length <= announced)
            #expect(try world.contentOfPartial() == Self.content.bytes(0..<length))
        } else {
            #expect(outcome.disposition == .written(length: announced, isComplete: true))
            #expect(try world.contentOfPartial() == Self.content.bytes(0..<announced))
        }
    }

    @Test func aBodyLongerThanMemoryIsCutThere() throws {
        let world = try World(["/f": Route(.file(Self.content))])
        let outcome = try world.exchange(world.request("GET", "/f", limit: 1_000))
        #expect(outcome.ending == .responded && outcome.isBodyTruncated)
        #expect(outcome.body == Self.content.bytes(0..<1_000))
    }
}
