import LonghaulCore
import TestSupport
import Testing

@testable import LonghaulCurl

/// Many exchanges at once that share a connection of HTTP/2.
@Suite(
    .tags(.libcurl), .enabled(if: TLSServer.missing == nil, "nginx, openssl and python3 are needed"), .onEachTransport)
struct MultiplexTests {
    private let content = Content(seed: 43, length: 300_000)

    @Test func batchesOfDownloadsArriveAndLeaveTheEngineGoodForOthers() throws {
        let server = try TLSServer.nginx()
        try server.directory.write(content, to: "www/f")
        let world = try World(["/plain": Route(.file(content, etag: "\"v1\""))])
        for round in 0..<4 {
            let tickets = (0..<40).map { number in
                var plan = world.download("/f", to: "batch\(round)-\(number)")
                plan.url = server.url + "/f"
                plan.network.caFile = server.certificate
                return world.start(.exchange(plan))
            }
            let outcomes = try tickets.map { try world.outcome(of: $0) }
            #expect(outcomes.allSatisfy { $0.ending == .responded }, "\(outcomes.compactMap(\.failure).first as Any)")
            #expect(outcomes.allSatisfy { $0.head?.headers.single("X-Protocol") == "HTTP/2.0" })
        }
        #expect(try world.directory.read("batch3-39") == content.bytes())
        let others = (0..<10).map { world.start(.exchange(world.download("/plain", to: "plain\($0)"))) }
        #expect(try others.allSatisfy { try world.outcome(of: $0).ending == .responded })
    }

    @Test func batchesOfUploadsArrive() throws {
        let server = try TLSServer.nginx()
        let world = try World()
        let body = try world.fileBody(content)
        let tickets = (0..<40).map { number in
            var plan = world.request("PUT", "/", body: body)
            plan.url = server.url + "/up\(number)"
            plan.network.caFile = server.certificate
            return world.start(.exchange(plan))
        }
        let outcomes = try tickets.map { try world.outcome(of: $0) }
        #expect(outcomes.allSatisfy { $0.ending == .responded && $0.head?.status == 201 })
        for number in [0, 39] { #expect(try server.directory.read("www/up\(number)") == content.bytes()) }
    }

    /// Before 8.1, libcurl mixes or corrupts bodies over HTTP/2, so uploads use HTTP/1.1.
    @Test func uploadsAndDownloadsUseSeparateConnections() throws {
        let world = try World(["/f": Route(.file(content)), "/u": Route(.status(201))], settings: .withHTTP1)
        let body = try world.fileBody(content)
        for _ in 0..<2 {
            #expect(try world.exchange(world.download("/f")).ending == .responded)
            #expect(try world.exchange(world.request("PUT", "/u", body: body)).head?.status == 201)
        }
        func connections(_ method: String) -> Set<Int> {
            Set(world.server.requests.filter { $0.method == method }.map(\.connection))
        }
        let (downs, ups) = (connections("GET"), connections("PUT"))
        #expect(downs.count == 1 && ups.count == 1)
        let isSecure = Transport.current.isSecure
        #expect(downs.isDisjoint(with: ups) == (LibcurlFeature.mixesBodies && isSecure))
    }
}
