import Glibc
import LonghaulCore
import TestSupport
import Testing

@Suite(.tags(.libcurl), .onEachPath) struct UploadTests {
    static let content = Content(seed: 41, length: 3_000_000)

    @Test(arguments: ["PUT", "POST", "PATCH"])
    func aFileArrivesByteForByte(method: String) throws {
        let world = try World(["/u": Route(.status(201, body: "made"))])
        let ticket = world.start(.exchange(world.request(method, "/u", body: try world.fileBody(Self.content))))
        let outcome = try world.outcome(of: ticket)
        let request = try world.server.waitForFinishedRequests(1)[0]
        #expect(outcome.ending == .responded && outcome.head?.status == 201 && outcome.body == Array("made".utf8))
        #expect(outcome.bytesSent == Self.content.length && outcome.requestLeft)
        #expect(request.method == method && request.header("Content-Length") == "\(Self.content.length)")
        // HTTP/2 needs no permission: a window limits the bytes without it.
        #expect(request.header("Expect") == (Transport.current == .http2 ? nil : "100-continue"))
        #expect(request.header("User-Agent") == "longhaul/0.1")
        #expect(request.isBodyComplete && request.bodyChecksum == Self.content.checksum)
    }

    @Test func segmentsAreJoinedExactly() throws {
        let world = try World(["/u": Route(.status(200))])
        let files = [Content(seed: 1, length: 70_000), Content(seed: 2, length: 1), Content(seed: 3, length: 900_000)]
        var segments: [BodyPlan.Segment] = [.bytes(Array("--b\r\n".utf8))]
        var expected = Array("--b\r\n".utf8)
        for (number, file) in files.enumerated() {
            let source = try world.source(file, name: "part\(number)")
            segments += [.file(source, offset: 0, length: file.length), .bytes([13, 10, UInt8(number)])]
            expected += file.bytes() + [13, 10, UInt8(number)]
        }
        let plan = BodyPlan(segments: segments, length: Int64(expected.count), holdsLastBytes: false)
        _ = try world.exchange(world.request("POST", "/u", body: plan))
        #expect(try world.server.waitForFinishedRequests(1)[0].body == expected)
    }

    @Test(arguments: [1, 100, 65_535, 65_536, 70_000] as [Int64])
    func shortBodyArrivesCompleteAtRedirectTarget(length: Int64) throws {
        let content = Content(seed: 43, length: length)
        let world = try World(["/u": Route(.redirect(307, to: "/v")), "/v": Route(.status(201))])
        let ticket = world.start(.exchange(world.request("PUT", "/u", body: try world.fileBody(content))))
        let outcome = try world.outcome(of: ticket)
        #expect(outcome.ending == .responded && outcome.head?.status == 201 && outcome.bytesSent == length)
        let request = world.server.requests(to: "/v")[0]
        #expect(request.method == "PUT" && request.bodyChecksum == content.checksum)
        #expect(request.header("Content-Type") == nil && request.header("Content-Length") == "\(length)")
    }

    @Test(arguments: [100, 3_000_000] as [Int64])
    func aSourceThatIsNotWhatItWasAsksNothingOfTheServer(length: Int64) throws {
        let world = try World(["/u": Route(.status(201))])
        let plan = world.request("PUT", "/u", body: try world.fileBody(Content(seed: 44, length: length)))
        try world.directory.write(Content(seed: 45, length: length + 1), to: "source")
        let outcome = try world.exchange(plan)
        #expect(outcome.failure?.code == .sourceChanged && !outcome.requestLeft)
        // Opening a pipe instead would block a reader.
        guard unlink(world.directory.path("source")) == 0, mkfifo(world.directory.path("source"), 0o600) == 0 else {
            throw Unexpected()
        }
        #expect(try world.exchange(plan).failure?.code == .sourceChanged)
        unlink(world.directory.path("source"))
        #expect(try world.exchange(plan).failure?.code == .sourceMissing)
        #expect(world.server.connections == 0)
    }

    @Test func aPartOfAFileIsSentFromItsOffset() throws {
        let world = try World(["/u": Route(.status(204))])
        let source = try world.source(Self.content)
        let plan = BodyPlan(
            segments: [.file(source, offset: 2_900_000, length: 100_000)], length: 100_000, holdsLastBytes: false)
        _ = try world.exchange(world.request("PATCH", "/u", body: plan))
        #expect(try world.server.waitForFinishedRequests(1)[0].body == Self.content.bytes(2_900_000..<3_000_000))
    }

    @Test(arguments: ["POST", "PATCH", "PUT"])
    func requestWithoutBodySendsContentLengthZero(method: String) throws {
        let world = try World(["/u": Route(.status(200))])
        let ticket = world.start(.exchange(world.request(method, "/u")))
        #expect(try world.outcome(of: ticket).ending == .responded)
        #expect(world.server.requests[0].header("Content-Length") == "0")
        #expect(!world.events(of: ticket).contains(.bodySent))
    }

    @Test(arguments: ["GET", "DELETE", "OPTIONS"])
    func othersHaveNoBody(method: String) throws {
        let world = try World(["/u": Route(.status(200, body: "ok"))])
        let outcome = try world.exchange(world.request(method, "/u"))
        let request = world.server.requests[0]
        #expect(outcome.body == Array("ok".utf8) && request.method == method)
        #expect(request.header("Content-Length") == nil && request.header("Expect") == nil)
    }

    @Test func sentBodyIsReportedOnceBeforeResponse() throws {
        let latch = Latch()
        let world = try World(["/u": Route(.status(200).held(by: latch))])
        let ticket = world.start(.exchange(world.request("POST", "/u", body: try world.fileBody(Self.content))))
        try latch.waitForArrivals()
        try world.advance(by: .milliseconds(250))
        _ = try world.next(ticket) { $0 == .bodySent }
        let progress = try #require(world.engine.progress(of: ticket))
        #expect(progress.sent == Self.content.length && progress.received == 0)
        latch.open()
        #expect(try world.outcome(of: ticket).ending == .responded)
        #expect(world.events(of: ticket).filter { $0 == .bodySent }.count == 1)
        #expect(world.engine.progress(of: ticket) == nil)
    }

    @Test(arguments: 0..<10)
    func earlyRefusalStopsTheUpload(round: Int) throws {
        let big = Content(seed: 42, length: 40_000_000)
        let reply = Reply.status(413, body: "too big").intake(.answer(after: 100_000))
            .with { $0.rest = Reply.Rest.allCases[round % 3] }
        let isHTTP2 = Transport.current == .http2
        let routes: [String: Route] = [
            "/u": .decided { request, _ in
                // A client that falls back to HTTP/1.1 gets the response before it sends.
                let isAsked = isHTTP2 && request.header("Expect") != nil
                return isAsked ? Reply.status(413, body: "too big").intake(.none) : reply
            }
        ]
        let world = try World(routes, settings: .withHTTP1)
        let outcome = try world.exchange(world.request("POST", "/u", body: try world.fileBody(big)))
        // With GnuTLS, a reset can destroy the response before it is decrypted.
        let isReset = Transport.current == .secureHTTP1 && usesGnuTLS && outcome.failure?.code == .connectionLost
        #expect(isReset || outcome.ending == .responded && outcome.head?.status == 413, "\(outcome)")
        #expect(outcome.bytesSent < big.length)
    }

    @Test func aRefusalInsteadOf100SendsNoBody() throws {
        let world = try World(["/u": Route(.status(401).intake(.none))])
        let outcome = try world.exchange(world.request("POST", "/u", body: try world.fileBody(Self.content)))
        #expect(outcome.head?.status == 401 && outcome.bytesSent == 0)
    }

    @Test(arguments: 0..<10)
    func anUnknownExpectationIsDroppedAndTheBodySent(round: Int) throws {
        let world = try World([
            "/u": .decided { request, _ in
                request.header("Expect") == nil ? .status(201) : .status(417).intake(.none)
            }
        ])
        let outcome = try world.exchange(world.request("PUT", "/u", body: try world.fileBody(Self.content)))
        #expect(outcome.ending == .responded && outcome.head?.status == 201)
        #expect(world.server.requests.last?.bodyChecksum == Self.content.checksum)
    }

    @Test func aResetWhileSendingIsALostConnection() throws {
        let big = Content(seed: 42, length: 40_000_000)
        let world = try World(["/u": Route(Reply().intake(.reset(after: 1_000_000)))])
        let outcome = try world.exchange(world.request("POST", "/u", body: try world.fileBody(big)))
        #expect(outcome.failure?.code == .connectionLost && outcome.requestLeft)
    }

    @Test func aSourceThatChangedIsNotSent() throws {
        let world = try World(["/u": Route(.status(200))])
        let plan = world.request("POST", "/u", body: try world.fileBody(Self.content))
        try world.directory.write(Content(seed: 50, length: Self.content.length), to: "source")
        let outcome = try world.exchange(plan)
        #expect(outcome.failure?.code == .sourceChanged && outcome.bytesSent == 0)
    }

    @Test func aSourceThatChangesWhileItIsSentIsNotSentToItsEnd() throws {
        let latch = Latch()
        let world = try World(["/u": Route(.status(200).intake(.stall(after: 1_000_000, latch)))])
        let big = Content(seed: 42, length: 40_000_000)
        let ticket = world.start(.exchange(world.request("POST", "/u", body: try world.fileBody(big))))
        try latch.waitForArrivals()
        try world.directory.write(Content(seed: 50, length: big.length), to: "source")
        latch.open()
        #expect(try world.outcome(of: ticket).failure?.code == .sourceChanged)
        // On HTTP/2 the reset of a stream may wait until its connection is used or closed.
        if Transport.current == .http2 { world.engine.shutDown() }
        let request = try world.server.waitForFinishedRequests(1)[0]
        #expect(!request.isBodyComplete && request.bodyLength < big.length)
    }

    @Test func deletedSourceIsReportedAsMissing() throws {
        let world = try World(["/u": Route(.status(200))])
        let plan = world.request("POST", "/u", body: try world.fileBody(Self.content))
        _ = try world.run(.discard([world.directory.path("source")]))
        #expect(try world.exchange(plan).failure?.code == .sourceMissing)
    }

    @Test(arguments: [false, true])
    func anEmptySourceThatHasGrownIsNotSent(hasOthers: Bool) throws {
        let world = try World(["/u": Route(.status(200))])
        let empty = BodyPlan.Segment.file(try world.source(Content(seed: 1, length: 0)), offset: 0, length: 0)
        try world.directory.write([1], to: "source")
        let segments: [BodyPlan.Segment] = hasOthers ? [.bytes([1, 2]), empty] : [empty]
        let plan = BodyPlan(segments: segments, length: hasOthers ? 2 : 0, holdsLastBytes: false)
        let outcome = try world.exchange(world.request("POST", "/u", body: plan))
        #expect(outcome.failure?.code == .sourceChanged)
        #expect(world.server.requests.allSatisfy { !$0.isBodyComplete })
    }
}

/// Whether the loaded libcurl uses GnuTLS.
private let usesGnuTLS: Bool = {
    typealias Version = @convention(c) () -> UnsafePointer<CChar>?
    guard let symbol = dlsym(nil, "curl_version") else { return false }
    return unsafeBitCast(symbol, to: Version.self)().map { String(cString: $0).contains("GnuTLS") } ?? false
}()
