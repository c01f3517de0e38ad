import Longhaul
import LonghaulCore
import TestSupport
import Testing

extension SessionConformance {
    @Suite(.onEachTransport) struct AcceptedKeyTests {
        private let content = Content(seed: 8, length: 200_000)

        @Test(arguments: TransferSession.Execution.both)
        func trustingReportedCertificateAllowsDownload(_ execution: TransferSession.Execution) async throws {
            let world = try SessionWorld(execution)
            let server = try NastyServer(routes: ["/film": Route(.file(content, etag: "\"v1\""))])
            try await world.launch { session in
                let transfer = try await session.download(
                    from: server.url("/film"), to: world.work, network: NetworkOptions())
                guard case .failed(let failure) = try await transfer.result().ending else { throw Unexpected() }
                let certificate = try #require(failure.certificate)
                #expect(failure.code == .certificateRejected && certificate.origin == server.url(""))
                #expect(server.requests.isEmpty)
                try await transfer.trust(certificate)
                #expect(try await transfer.result().ending == .succeeded)
                await expect(code: .invalidState) { try await transfer.trust(certificate) }
            }
            #expect(try world.files.read("work/film") == content.bytes())
        }
    }
}
