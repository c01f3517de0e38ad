import Longhaul
import LonghaulCore
import TestSupport
import Testing

extension SessionConformance {
    @Suite(.onEachTransport) struct CredentialTests {
        private let server: NastyServer
        private let giver = TokenGiver()

        init() throws {
            server = try NastyServer(routes: [
                "/guarded": .guarded(.status(200, body: "welcome")), "/closed": Route(.status(401)),
                "/file": .guarded(.file(Content(seed: 3, length: 300_000), etag: "\"v1\"")),
            ])
        }

        private func request(_ session: TransferSession, _ path: String = "/guarded") async throws -> Transfer {
            try await session.request(server.url(path), options: SessionWorld.options)
        }

        @Test(arguments: TransferSession.Execution.both)
        func fiftyTransfersAreServedByOneQuestionAndOneRenewal(_ execution: TransferSession.Execution) async throws {
            let world = try SessionWorld(execution)
            try await world.launch { session in
                let provision = try await session.provideCredentials { [giver] in giver.give($0) }
                let spec = {
                    var spec = TransferSpec(
                        work: .request(body: []), method: "GET", url: server.url("/guarded"), network: server.network)
                    spec.options = SessionWorld.options
                    spec.options.retryLimit = 0
                    return spec
                }()
                let transfers = try await session.submit(Array(repeating: spec, count: 50)).map { try $0.get() }
                for transfer in transfers { #expect(try await transfer.result().ending == .succeeded) }
                withExtendedLifetime(provision) {}
            }
            #expect(giver.requests.map(\.isRenewal) == [false, true])
            #expect(
                giver.requests.allSatisfy {
                    $0.url == server.url("/") && $0.name == SessionWorld.credential.description
                })
            // The requests in progress when the first token was refused, and none after them.
            let refused = server.requests.filter { $0.status == 401 }
            let most = Transport.current == .http2 ? 50 : 6
            #expect((1...most).contains(refused.count) && server.requests.count == 50 + refused.count)
        }

        @Test(arguments: TransferSession.Execution.both)
        func helperIsCalledWithGitProtocol(_ execution: TransferSession.Execution) async throws {
            let world = try SessionWorld(execution)
            let helper = try ScriptHelper(in: world)
            try await world.launch { session in
                try await session.setCredentialHelper(helper.command)
                var transfers: [Transfer] = []
                for _ in 0..<10 { transfers.append(try await request(session)) }
                for transfer in transfers { #expect(try await transfer.result().ending == .succeeded) }
                // The helper gets the result of its answer after the transfer has ended.
                while try helper.calls.count < 4 { await Task.yield() }
                #expect(try await session.credentials().entries.map(\.state) == [.held])
            }
            #expect(try helper.calls == ["get", "erase", "get", "store"])
            let port = server.url("").drop { !$0.isNumber }.split(separator: ":").last ?? ""
            #expect(
                try helper.text("in.get")
                    == "capability[]=authtype\nprotocol=\(Transport.current.scheme)\nhost=127.0.0.1:\(port)\nname=photos\n\n"
            )
            #expect(try helper.text("in.erase").contains("credential=\(TokenGiver.secrets[0])\n"))
            #expect(try helper.text("in.store").contains("credential=\(TokenGiver.secrets[1])\n"))
        }

        @Test(arguments: TransferSession.Execution.both)
        func missingProviderIsReportedUntilOneArrives(_ execution: TransferSession.Execution) async throws {
            let world = try SessionWorld(execution)
            let id = try await world.launch { session in
                let transfer = try await request(session, "/file")
                let failure = try await transfer.waitForLack()
                #expect(failure.code == .credentialsRequired)
                #expect(failure.message.contains("photos") && failure.message.contains(server.url("")))
                #expect(server.requests.isEmpty, "nothing is sent without it")
                return transfer.id
            }
            try await world.launch { session in
                let transfer = session.transfer(id)
                let provision = try await session.provideCredentials { [giver] in giver.give($0) }
                #expect(try await transfer.result().ending == .succeeded)
                withExtendedLifetime(provision) {}
            }
        }

        @Test(arguments: TransferSession.Execution.both)
        func providedCredentialReleasesWaitingTransfers(_ execution: TransferSession.Execution) async throws {
            let world = try SessionWorld(execution)
            try await world.launch { session in
                let transfers = [try await request(session), try await request(session)]
                for transfer in transfers { _ = try await transfer.waitForLack() }
                // It is for another server, so it is not used here.
                try await session.provideCredential(
                    .bearer(TokenGiver.secrets[1]), named: SessionWorld.credential.description,
                    for: "http://other.test/")
                for transfer in transfers { _ = try await transfer.waitForLack() }
                try await session.provideCredential(
                    .bearer(TokenGiver.secrets[1]), named: SessionWorld.credential.description, for: server.url("/x"))
                for transfer in transfers { #expect(try await transfer.result().ending == .succeeded) }
            }
            #expect(server.requests.count == 2)
        }

        @Test(arguments: TransferSession.Execution.both)
        func twiceRefusedCredentialWaitsForRetry(_ execution: TransferSession.Execution) async throws {
            let world = try SessionWorld(execution)
            try await world.launch { session in
                let provision = try await session.provideCredentials { [giver] in giver.give($0) }
                let transfer = try await request(session, "/closed")
                #expect(try await transfer.waitForLack().message.contains("rejected"))
                #expect(server.requests.count == 2 && giver.requests.count == 2)
                server.setRoute("/closed", .status(200))
                try await transfer.retry()
                #expect(try await transfer.result().ending == .succeeded)
                withExtendedLifetime(provision) {}
            }
        }

        @Test(arguments: TransferSession.Execution.both)
        func anotherOriginGetsNothing(_ execution: TransferSession.Execution) async throws {
            let other = try NastyServer(routes: ["/taken": Route(.status(200))])
            server.setRoute(
                "/away",
                .decided { request, _ in
                    request.header("Authorization") == nil ? .status(401) : .redirect(307, to: other.url("/taken"))
                })
            let world = try SessionWorld(execution)
            try await world.launch { session in
                let provision = try await session.provideCredentials { [giver] in giver.give($0) }
                #expect(try await request(session, "/away").result().ending == .succeeded)
                withExtendedLifetime(provision) {}
            }
            #expect(server.requests.last?.header("Authorization") != nil)
            #expect(other.requests.count == 1 && other.requests[0].header("Authorization") == nil)
        }

        @Test(arguments: TransferSession.Execution.both)
        func secretsAppearInNoFileOrReport(_ execution: TransferSession.Execution) async throws {
            let world = try SessionWorld(execution)
            let helper = try ScriptHelper(in: world)
            var told = ""
            try await world.launch { session in
                try await session.setCredentialHelper(helper.command)
                let (good, bad) = (try await request(session, "/file"), try await request(session, "/closed"))
                #expect(try await good.result().ending == .succeeded)
                told += "\(try await bad.waitForLack())"
                for transfer in [good, bad] {
                    told += "\(try await transfer.detail())\(try await transfer.history())"
                }
                told += "\(try await session.snapshots())\(try await session.credentials())"
                for secret in TokenGiver.secrets { #expect(try await world.files(holding: secret) == []) }
            }
            for secret in TokenGiver.secrets {
                #expect(!told.contains(secret))
                #expect(try await world.files(holding: secret) == [])
            }
            #expect(try helper.calls.contains("get"))
        }

        @Test func aServiceThatIsKilledAsksTheSameAppAgain() async throws {
            let world = try SessionWorld(.service)
            try await world.launch { session in
                let provision = try await session.provideCredentials { [giver] in giver.give($0) }
                #expect(try await request(session).result().ending == .succeeded)
                try await world.product.killService()
                // A submission that a dying service left without an answer is repeated only if it has a key.
                var options = SessionWorld.options
                options.key = "again"
                options.keyConflict = .keep
                let again = try await session.request(server.url("/guarded"), options: options)
                #expect(try await again.result().ending == .succeeded)
                provision.end()
            }
        }

        @Test(arguments: TransferSession.Execution.both)
        func secondProviderIsQueriedAfterFirst(
            _ execution: TransferSession.Execution
        ) async throws {
            let world = try SessionWorld(execution)
            let latch = Latch()
            try await world.launch { session in
                let first = try await session.provideCredentials { _ in
                    try? await aside { latch.pass() }
                    return nil
                }
                let transfer = try await request(session)
                try await latch.waitForArrivals()
                let second = try await session.provideCredentials { [giver] in giver.give($0) }
                // The session has it.
                #expect(try await session.credentials().providers == 2)
                latch.open()
                #expect(try await transfer.result().ending == .succeeded)
                withExtendedLifetime((first, second)) {}
            }
        }

        @Test func providerEndingWithoutAnswerIsReported() async throws {
            let world = try SessionWorld(.service)
            let latch = Latch()
            let transfer = try await world.launch { session in
                let provision = try await session.provideCredentials { _ in
                    try? await aside { latch.pass() }
                    return nil
                }
                let transfer = try await request(session)
                try await latch.waitForArrivals()
                provision.end()
                #expect(try await transfer.waitForLack().message.contains("exited"))
                latch.open()
                return transfer.id
            }
            try await world.launch { session in
                try await session.transfer(transfer).cancel()
            }
        }
    }
}
