import Glibc
import Longhaul
import LonghaulCore
import TestSupport
import Testing

extension SessionConformance {
    @Suite(.onEachTransport) struct ReconcileTests {
        @Test(arguments: TransferSession.Execution.both)
        func relaunchReportsExternallyDeletedFile(_ execution: TransferSession.Execution) async throws {
            let content = Content(seed: 8, length: 40_000)
            let server = try NastyServer(routes: ["/film": .inTurn(.file(content, etag: "\"v1\""))])
            let world = try SessionWorld(execution)
            let id = try await world.launch { session in
                let transfer = try await session.download(from: server.url("/film"), to: world.work)
                #expect(try await transfer.result().ending == .succeeded)
                #expect(try await session.reconcileReport() == ReconcileReport(checked: 1))
                return transfer.id
            }
            #expect(unlink(world.work + "/film") == 0)
            try await world.launch { session in
                let report = try await session.reconcileReport()
                #expect(report.findings.map(\.kind) == [.fileMissing])
                #expect(report.findings.first?.transfer == id)
                #expect(report.findings.first?.path == world.work + "/film")
            }
            #expect(world.files.names("work").isEmpty)
        }

        @Test(arguments: TransferSession.Execution.both)
        func aFailedDownloadWhoseBytesAreGoneBeginsAgainWhenItIsTriedAgain(
            _ execution: TransferSession.Execution
        ) async throws {
            let content = Content(seed: 9, length: 400_000)
            let reply = Reply.file(content, etag: "\"v1\"")
            let server = try NastyServer(routes: ["/film": .inTurn(reply.cut(after: 100_000), reply)])
            let world = try SessionWorld(execution)
            try await world.launch { session in
                var options = TransferOptions()
                options.retryLimit = 0
                let transfer = try await session.download(from: server.url("/film"), to: world.work, options: options)
                guard case .failed = try await transfer.result().ending else {
                    return #expect(Bool(false), "it was cut")
                }
                let partial = try #require(world.files.names("work").first)
                #expect(unlink(world.work + "/" + partial) == 0)
                let finding = try #require(try await session.reconcile().first)
                #expect(finding.code == "partialMissing")
                #expect(finding.message.hasSuffix("The transfer restarts from byte 0 when it runs again."))
                try await transfer.retry()
                #expect(try await transfer.result().ending == .succeeded)
                #expect(server.requests.map(\.range?.first) == [nil, nil])
            }
        }
    }
}
