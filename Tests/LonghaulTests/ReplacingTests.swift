import Longhaul
import LonghaulCore
import Synchronization
import TestSupport
import Testing

extension SessionConformance {
    @Suite(.onEachTransport) struct ReplacingTests {
        private let content = Content(seed: 6, length: 2_000_000)
        private let server: NastyServer

        /// A file with signed URLs: `old` sends half of it and is then refused, `new` is valid.
        init() throws {
            let reply = Reply.file(content, etag: "\"v1\"")
            let halves = Mutex(0)
            server = try NastyServer(routes: [
                "/film": .decided { request, _ in
                    if request.query == "signature=new" { return reply }
                    let visit = halves.withLock { count in
                        count += 1
                        return count
                    }
                    return visit == 1 ? reply.cut(after: 1_000_000) : .status(403, body: "Request has expired")
                },
                "/other": Route(.file(Content(seed: 7, length: 900_000), etag: "\"w1\"")),
            ])
        }

        private func options(_ change: (inout TransferOptions) -> Void = { _ in }) -> TransferOptions {
            var options = TransferOptions()
            change(&options)
            return options
        }

        private func failedDownload(_ session: TransferSession, _ world: SessionWorld) async throws -> Transfer {
            let transfer = try await session.download(from: server.url("/film?signature=old"), to: world.work)
            guard case .failed(let failure) = try await transfer.result().ending else {
                throw TransferFailure(.internalFault, "it did not fail")
            }
            #expect(failure.code == .forbidden && failure.message.contains("can be replaced"))
            return transfer
        }

        @Test(arguments: TransferSession.Execution.both)
        func anExpiredURLIsReplacedAndTheBytesStay(_ execution: TransferSession.Execution) async throws {
            let world = try SessionWorld(execution)
            let id = try await world.launch { session in try await failedDownload(session, world).id }
            try await world.launch { session in
                let transfer = session.transfer(id)
                try await transfer.replaceURL(with: server.url("/film?signature=new"))
                #expect(try await transfer.result().ending == .succeeded)
                #expect(try await transfer.history().contains { $0.event == "replaced" })
            }
            #expect(try world.files.read("work/film") == content.bytes())
            #expect(server.requests.last?.range?.first ?? 0 > 990_000)
        }

        @Test(arguments: TransferSession.Execution.both)
        func replacedURLWithOtherContentRestartsDownload(_ execution: TransferSession.Execution) async throws {
            let world = try SessionWorld(execution)
            try await world.launch { session in
                let transfer = try await failedDownload(session, world)
                try await transfer.replaceURL(with: server.url("/other"))
                #expect(try await transfer.result().ending == .succeeded)
                // A transfer that has succeeded stays unchanged.
                await expect(code: .invalidState) { try await transfer.replaceURL(with: server.url("/film")) }
                try await transfer.remove()
                await expect(code: .unknownTransfer) { try await transfer.replaceURL(with: server.url("/film")) }
            }
            #expect(try world.files.read("work/other") == Content(seed: 7, length: 900_000).bytes())
        }

        @Test(arguments: TransferSession.Execution.both)
        func runningAppProvidesReplacementURL(_ execution: TransferSession.Execution) async throws {
            let world = try SessionWorld(execution)
            let asked = Mutex<[CredentialRequest]>([])
            let fresh = server.url("/film?signature=new")
            let id = try await world.launch { session in
                let provision = try await session.provideCredentials { request in
                    asked.withLock { $0.append(request) }
                    return .url(fresh, headers: nil)
                }
                let transfer = try await session.download(
                    from: server.url("/film?signature=old"), to: world.work, key: "film",
                    options: options {
                        $0.credentialName = SessionWorld.credential
                        $0.credentialKind = .url
                    })
                #expect(try await transfer.result().ending == .succeeded)
                withExtendedLifetime(provision) {}
                return transfer.id
            }
            #expect(try world.files.read("work/film") == content.bytes())
            #expect(server.requests.last?.range?.first ?? 0 > 990_000)
            let requests = asked.withLock { $0 }
            #expect(requests.count == 1)
            #expect(requests.first?.transfer == id && requests.first?.transferKey == "film")
            #expect(requests.first?.url == server.url("/film") && requests.first?.kind == .url)
        }

        @Test(arguments: TransferSession.Execution.both)
        func withoutTheAppItWaitsForIt(_ execution: TransferSession.Execution) async throws {
            let world = try SessionWorld(execution)
            try await world.launch { session in
                let transfer = try await session.download(
                    from: server.url("/film?signature=old"), to: world.work,
                    options: options {
                        $0.credentialName = SessionWorld.credential
                        $0.credentialKind = .url
                    })
                #expect(try await transfer.waitForLack().code == .credentialsRequired)
                try await transfer.replaceURL(with: server.url("/film?signature=new"))
                #expect(try await transfer.result().ending == .succeeded)
            }
            #expect(server.requests.last?.range?.first ?? 0 > 990_000)
        }
    }
}
