import LonghaulCore
import TestSupport
import Testing

/// One, a few and many exchanges at the same time.
@Suite(.tags(.libcurl, .directPath)) struct ManyAtOnceTests {
    static let counts = [1, 6, 64]
    static let content = Content(seed: 141, length: 400_000)

    private func run(_ count: Int, _ transport: Transport, _ body: @Sendable () throws -> Void) async throws {
        let test = try #require(Test.current)
        try await EachTransport.run(test, over: transport, variant: "\(count) at once") { try body() }
    }

    @Test(arguments: counts, Transport.allCases)
    func downloadsAllArrive(count: Int, transport: Transport) async throws {
        try await run(count, transport) {
            let world = try World(["/f*": Route(.file(Self.content, etag: "\"v1\""))])
            try world.downloadAtOnce(count, Self.content)
        }
    }

    /// The connections of the first round are there for the second.
    @Test(arguments: counts, Transport.allCases)
    func downloadsAllArriveASecondTime(count: Int, transport: Transport) async throws {
        try await run(count, transport) {
            let world = try World(["/f*": Route(.file(Self.content, etag: "\"v1\""))])
            for _ in 0..<2 { try world.downloadAtOnce(count, Self.content) }
        }
    }

    @Test(arguments: counts, Transport.allCases)
    func filesByPutAllArrive(count: Int, transport: Transport) async throws {
        try await run(count, transport) {
            let world = try World(["/u*": Route(.status(201))])
            let body = try world.fileBody(Self.content)
            try world.uploadAtOnce(count, "PUT", body, checksum: Self.content.checksum)
        }
    }

    /// As a form is sent: its last bytes leave only with permission.
    @Test(arguments: counts, Transport.allCases)
    func formsByPostAllArrive(count: Int, transport: Transport) async throws {
        try await run(count, transport) {
            let world = try World(["/u*": Route(.status(201))])
            let (head, tail) = (Array("--b\r\n\r\n".utf8), Array("\r\n--b--\r\n".utf8))
            let file = try world.source(Self.content)
            let body = BodyPlan(
                segments: [.bytes(head), .file(file, offset: 0, length: Self.content.length), .bytes(tail)],
                length: Self.content.length + Int64(head.count + tail.count), holdsLastBytes: true)
            let whole = head + Self.content.bytes() + tail
            try world.uploadAtOnce(count, "POST", body, checksum: Checksum(of: whole))
        }
    }
}

extension World {
    /// Downloads `/f0`, `/f1` and so on, which all have this content.
    func downloadAtOnce(_ count: Int, _ content: Content) throws {
        let tickets = (0..<count).map { number in
            var plan = download("/f\(number)")
            plan.sink = .partial(PartialPlan(path: directory.path("\(number).part"), resume: nil, digests: [.sha256]))
            return start(.exchange(plan))
        }
        for (number, ticket) in tickets.enumerated() {
            let outcome = try outcome(of: ticket)
            #expect(outcome.disposition == .written(length: content.length, isComplete: true), "\(outcome.ending)")
            let isRight = try directory.read("\(number).part") == content.bytes()
            #expect(isRight)
        }
    }

    func uploadAtOnce(_ count: Int, _ method: String, _ body: BodyPlan, checksum: Checksum) throws {
        let tickets = (0..<count).map { start(.exchange(request(method, "/u\($0)", body: body))) }
        if body.holdsLastBytes {
            for ticket in tickets {
                _ = try next(ticket) { $0 == .lastBytesHeld }
                engine.release(ticket, .sendRest)
            }
        }
        for ticket in tickets {
            let outcome = try outcome(of: ticket)
            #expect(outcome.head?.status == 201, "\(outcome.ending)")
        }
        let requests = server.requests
        #expect(Set(requests.map(\.path)).count == count && requests.count == count)
        #expect(requests.allSatisfy { $0.isBodyComplete && $0.bodyChecksum == checksum })
    }
}
