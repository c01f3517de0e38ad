import Glibc
import LonghaulCore
import LonghaulCurl
import TestSupport
import Testing

/// Files that change after their bytes were handed to the connection, and before the server has them.
@Suite(.tags(.libcurl), .onEachPath) struct LentFileTests {
    private static let content = Content(seed: 61, length: 2_000_000)

    /// Whether the connection gets the file itself. Otherwise libcurl copies its bytes, and later changes do no harm.
    private static var isLent: Bool { EachPath.rule.sendsFiles && CurlEngine.directPaths.sends }

    /// A server that has read all but the last bytes, which wait in the sockets; `act` is done then.
    private func upload(_ method: String, _ body: (World) throws -> BodyPlan, act: (World) throws -> Void) throws
        -> ExchangeOutcome
    {
        let latch = Latch()
        let world = try World(["/u": Route(.status(200, body: "taken").intake(.stall(after: 1_850_000, latch)))])
        let body = try body(world)
        let ticket = world.start(.exchange(world.request(method, "/u", body: body)))
        if body.holdsLastBytes {
            _ = try world.next(ticket) { $0 == .lastBytesHeld }
            world.engine.release(ticket, .sendRest)
        }
        _ = try world.next(ticket) { $0 == .bodySent }
        try act(world)
        latch.open()
        return try world.outcome(of: ticket)
    }

    @Test(arguments: ["PUT", "PATCH", "POST"])
    func changeOfLentFileFailsTheUpload(method: String) throws {
        let outcome = try upload(method) {
            try $0.fileBody(Self.content, holdsLastBytes: method == "POST")
        } act: {
            try $0.overwrite("source", at: 1_900_000)
        }
        #expect(outcome.failure?.code == (Self.isLent ? .sourceChanged : nil) && outcome.head?.status == 200)
        #expect(outcome.body == Array("taken".utf8))
    }

    @Test(arguments: [1_800_000, 10] as [Int64])
    func changeOfLentFormFileFailsTheUpload(offset: Int64) throws {
        let small = Content(seed: 62, length: 20_000)
        let outcome = try upload("POST") { world in
            let first = try world.source(Self.content, name: "first")
            let second = try world.source(small, name: "second")
            return BodyPlan(
                segments: [
                    .bytes([1]), .file(first, offset: 0, length: Self.content.length), .bytes([2]),
                    .file(second, offset: 0, length: small.length), .bytes([3]),
                ], length: Self.content.length + small.length + 3, holdsLastBytes: false)
        } act: {
            try $0.overwrite("first", at: offset)
        }
        #expect(outcome.failure?.code == (Self.isLent ? .sourceChanged : nil) && outcome.head?.status == 200)
        #expect(!Self.isLent || outcome.failure?.message.contains("first") == true)
    }

    @Test func aFileThatIsReplacedArrivesAsItWas() throws {
        let outcome = try upload("PUT") {
            try $0.fileBody(Self.content)
        } act: {
            try $0.directory.write([1, 2, 3], to: "new")
            #expect(rename($0.directory.path("new"), $0.directory.path("source")) == 0)
        }
        #expect(outcome.ending == .responded)
    }

    @Test func smallFileChangedAfterSendingArrivesUnchanged() throws {
        let small = Content(seed: 63, length: 200_000)
        let latch = Latch()
        let world = try World(["/u": Route(.status(200).held(by: latch))])
        let ticket = world.start(.exchange(world.request("PUT", "/u", body: try world.fileBody(small))))
        try latch.waitForArrivals()
        try world.advance(by: .milliseconds(250))
        _ = try world.next(ticket) { $0 == .bodySent }
        // If the engine sends even short files past libcurl, this is an ordinary change.
        let isLent = EachPath.rule == .takeOver && CurlEngine.directPaths.sends
        if !isLent { try world.overwrite("source", at: 1_000) }
        latch.open()
        #expect(try world.outcome(of: ticket).ending == .responded)
        #expect(world.server.requests[0].bodyChecksum == small.checksum)
    }
}

extension World {
    func overwrite(_ name: String, at offset: Int64) throws { try overwriteFile(directory.path(name), at: offset) }
}
