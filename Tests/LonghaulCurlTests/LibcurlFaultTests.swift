import LonghaulCore
import TestSupport
import Testing

@testable import LonghaulCurl

/// Faults of some versions of libcurl that Longhaul works around.
@Suite(.tags(.libcurl)) struct LibcurlFaultTests {
    private static let content = Content(seed: 311, length: 150_000)

    /// RFC 9112, section 9.2. libcurl 7.88 takes such bytes for the response to the next request.
    @Test(.onEachTransport, arguments: ["GET", "PUT"], [200, 400])
    func strayResponseAnswersNoRequest(method: String, status: Int) throws {
        let latch = Latch()
        let stray = Array("HTTP/1.1 \(status) Stray\r\nContent-Length: 8\r\n\r\ninjected".utf8)
        let world = try World([
            "/first": Route(Reply.status(200, body: "right").with { $0.stray = (stray, latch) }),
            "/second": Route(.status(200, body: "right")),
        ])
        #expect(try world.exchange(world.request("GET", "/first")).body == Array("right".utf8))
        try latch.waitForArrivals(1)
        latch.open()
        try latch.waitForArrivals(2)
        let body = method == "PUT" ? try world.fileBody(Self.content) : nil
        let outcome = try world.exchange(world.request(method, "/second", body: body))
        #expect(outcome.head?.status == 200 && outcome.body == Array("right".utf8))
        #expect(world.server.requests(to: "/second").count == 1 && world.server.connections == 2)
    }

    /// libcurl gives a connection to the next request before the engine knows that the previous one has ended. A response to the next
    /// request is no stray response.
    @Test func reusedConnectionsAreNotTakenForIdleOnes() async throws {
        let count = 2_000
        let (statuses, paths) = try await aside {
            let world = try World(["/u*": Route(.status(201))])
            var statuses: [Int?] = []
            for number in 0..<count + 32 {
                if number < count { _ = world.start(.exchange(world.request("POST", "/u\(number)"))) }
                if number >= 32, case .exchangeEnded(let outcome) = try world.log.next(matching: \.event.isEnding).event
                {
                    statuses.append(outcome.head?.status)
                }
            }
            return (statuses, world.server.requests.map(\.path))
        }
        #expect(statuses.count == count && statuses.allSatisfy { $0 == 201 })
        #expect(paths.count == count && Set(paths).count == count)
    }

    /// Small buffers make libcurl before 8.1 forget the last frames of streams, if the server is fast. The test never advances the engine's
    /// clock, so no timeout of Longhaul ends such a wait. libcurl's own timers end it after 30 s.
    @Test(.enabled(if: TLSServer.missing == nil, "nginx, openssl and python3 are needed"))
    func forgottenFramesAreDelivered() async throws {
        let versions = try await aside {
            var rule = BodyPathRule()
            rule.receiveBuffer = 4_096
            return try EachPath.$rule.withValue(rule, operation: fetchMany)
        }
        #expect(versions.count == 64 && versions.allSatisfy { $0 == "HTTP/2.0" })
    }

    /// Returns the versions of HTTP.
    private func fetchMany() throws -> [String?] {
        let server = try TLSServer.nginx()
        try server.directory.write(Self.content, to: "www/f")
        let world = try World()
        return try (0..<4).flatMap { _ in
            let tickets = (0..<16).map { number in
                var plan = world.download("/f", to: "\(number).part")
                plan.url = server.url + "/f"
                plan.network.caFile = server.certificate
                return world.start(.exchange(plan))
            }
            return try tickets.map { ticket -> String? in
                let end = try world.log.next(
                    matching: { $0.ticket == ticket && $0.event.isEnding }, timeout: .seconds(20))
                guard case .exchangeEnded(let outcome) = end.event, outcome.ending == .responded else { return nil }
                return outcome.head?.headers.single("X-Protocol")
            }
        }
    }

    /// libcurl before 8.1 may send the text of the headers as the first bytes of a body over HTTP/2, or stop sending. A server with HTTP/2
    /// alone gets each upload over its own connection.
    @Test(
        .enabled(if: NetworkNamespace.missing == nil, "It needs a network namespace."), arguments: [true, false],
        [16 << 10, 32 << 10])
    func uploadsArriveWithSmallSendBuffers(alsoSpeaksHTTP1: Bool, sendBuffer: Int) async throws {
        let network = try NetworkNamespace("echo '4096 \(sendBuffer) \(sendBuffer)' > /proc/sys/net/ipv4/tcp_wmem")
        let uploads = try await network.run {
            try Transport.$current.withValue(.http2) {
                let world = try World(
                    ["/u*": Route(.status(204))], settings: alsoSpeaksHTTP1 ? .withHTTP1 : HTTP2Settings())
                let body = try world.fileBody(Self.content)
                for round in 0..<4 {
                    let tickets = (0..<64).map {
                        world.start(.exchange(world.request("PATCH", "/u\(round)-\($0)", body: body)))
                    }
                    for ticket in tickets where try world.outcome(of: ticket).head?.status != 204 { throw Unexpected() }
                }
                return world.server.requests.filter(\.isFinished).map(\.bodyChecksum)
            }
        }
        #expect(uploads.count >= 256 && uploads.allSatisfy { $0 == Self.content.checksum })
    }

    /// Its body is reported only at its end.
    @Test(.onEachTransport) func smallBodyShowsItsResponseWhileItArrives() throws {
        let latch = Latch()
        defer { latch.open() }
        let world = try World(["/f": Route(.file(Self.content).stalled(after: 1_000, by: latch))])
        let ticket = world.start(.exchange(world.download("/f")))
        try latch.waitForArrivals()
        var response: ExchangeProgress.AcceptedResponse?
        while response == nil { response = world.engine.progress(of: ticket)?.response }
        #expect(response == ExchangeProgress.AcceptedResponse(status: 200, length: Self.content.length))
    }
}
