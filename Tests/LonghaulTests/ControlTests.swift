import Longhaul
import LonghaulCore
import TestSupport
import Testing

extension SessionConformance {
    @Suite(.onEachTransport) struct ControlTests {
        private let latch = Latch()
        private let content = Content(seed: 4, length: 2_000_000)
        private let server: NastyServer

        init() throws {
            let reply = Reply.file(content, etag: "\"v1\"")
            server = try NastyServer(routes: [
                "/film": .inTurn(reply.stalled(after: 1_000_000, by: latch), reply),
                "/missing": .inTurn(.status(404), reply), "/held": Route(.status(200).held(by: latch)),
            ])
        }

        @Test(arguments: TransferSession.Execution.both)
        func pausedDownloadResumesFromSyncedOffset(_ execution: TransferSession.Execution) async throws {
            let world = try SessionWorld(execution)
            try await world.launch { session in
                let transfer = try await session.download(from: server.url("/film"), to: world.work)
                try await transfer.wait { $0.bytesDone >= 1_000_000 }
                try await transfer.pause()
                try await transfer.wait { $0.state == .paused }
                try await transfer.resume()
                #expect(try await transfer.result().path == world.work + "/film")
            }
            #expect(try world.files.read("work/film") == content.bytes())
            // A few bytes may be requested twice, to check that the file is the same.
            #expect(server.requests.count == 2)
            #expect(server.requests.last?.range?.first ?? 0 > 990_000)
        }

        @Test(arguments: TransferSession.Execution.both)
        func aCancelledDownloadLeavesNothingAndCanBeTriedAgain(_ execution: TransferSession.Execution) async throws {
            let world = try SessionWorld(execution)
            try await world.launch { session in
                let transfer = try await session.download(from: server.url("/film"), to: world.work)
                try await transfer.wait { $0.bytesDone >= 1_000_000 }
                try await transfer.cancel()
                #expect(try await transfer.result() == TransferResult(ending: .cancelled))
                while true {
                    do throws(TransferFailure) {
                        try await transfer.retry()
                        break
                    } catch {
                        // The call reports it while the partial file is being deleted.
                        try #require(error.code == .invalidState)
                        try await Task.sleep(for: .milliseconds(5))
                    }
                }
                #expect(try await transfer.result().ending == .succeeded)
            }
            #expect(try await world.files.settledNames("work") == ["film"])
        }

        @Test(arguments: TransferSession.Execution.both)
        func aFailureIsKeptUntilItIsTriedAgain(_ execution: TransferSession.Execution) async throws {
            let world = try SessionWorld(execution)
            try await world.launch { session in
                let transfer = try await session.download(from: server.url("/missing"), to: world.work)
                #expect(try await transfer.result().failure?.code == .notFound)
                try await transfer.retry()
                #expect(try await transfer.result().ending == .succeeded)
                #expect(try await transfer.history().map(\.event).contains("failed"))
            }
        }

        @Test(arguments: TransferSession.Execution.both)
        func aResultIsKeptUntilItIsAcknowledged(_ execution: TransferSession.Execution) async throws {
            let world = try SessionWorld(execution)
            latch.open()
            try await world.launch { session in
                let transfer = try await session.request(server.url("/held"), key: "one")
                #expect(try await transfer.result().ending == .succeeded)
            }
            try await world.launch { session in
                let transfer = try #require(try await session.transfer(key: "one"))
                #expect(try await transfer.result().response?.status == 200)
                try await transfer.remove()
                try await transfer.remove()
                #expect(try await session.snapshots().isEmpty)
                await #expect(throws: TransferFailure.self) { try await transfer.result() }
            }
        }

        @Test(arguments: TransferSession.Execution.both)
        func theKeyOfAnAcknowledgedTransferIsFreeAtOnce(_ execution: TransferSession.Execution) async throws {
            try await SessionWorld(execution).launch { session in
                for _ in 1...20 {
                    let transfer = try await session.request(server.url("/held"), key: "one")
                    try await transfer.cancel()
                    try await transfer.remove()
                }
                let last = try await session.request(server.url("/held"), key: "one")
                #expect(try await session.transfer(key: "one")?.id == last.id)
                try await session.wait { $0.transfers.map(\.id) == [last.id] }
            }
        }

        @Test(arguments: TransferSession.Execution.both)
        func lookupOfAMissingTransferReturnsNil(_ execution: TransferSession.Execution) async throws {
            try await SessionWorld(execution).launch { session in
                let transfer = try await session.request(server.url("/held"), key: "one")
                #expect(try await session.transfer(id: transfer.id)?.id == transfer.id)
                #expect(try await session.transfer(id: TransferID(high: 1, low: 2)) == nil)
                #expect(try await session.transfer(key: "two") == nil)
            }
        }

        @Test(arguments: TransferSession.Execution.both)
        func aGroupIsPausedResumedAndCancelledTogether(_ execution: TransferSession.Execution) async throws {
            try await SessionWorld(execution).launch { session in
                var options = TransferOptions()
                options.group = "films"
                for _ in 1...3 { _ = try await session.request(server.url("/held"), options: options) }
                let other = try await session.request(server.url("/held"))
                #expect(try await session.pauseAll(matching: .group("films")) == 3)
                #expect(try await session.progress(matching: .group("films")).paused == 3)
                #expect(try await session.resumeAll(matching: .group("films")) == 3)
                #expect(try await session.cancelAll(matching: .group("films")) == 3)
                #expect(try await session.progress(matching: .group("films")).cancelled == 3)
                #expect(try await session.progress(matching: .group("films")).isEnded)
                #expect(try await session.removeAll(matching: .group("films")) == 3)
                try await session.wait { $0.transfers.map(\.id) == [other.id] }
            }
        }

        @Test(arguments: TransferSession.Execution.both)
        func aThousandTransfersAreListedInOneCallAndObeyEach(_ execution: TransferSession.Execution) async throws {
            let world = try SessionWorld(execution)
            let specs = (1...1_000).map { number -> TransferSpec in
                var options = TransferOptions()
                options.key = "\(number)"
                return TransferSpec(
                    work: .request(body: []), method: "GET", url: server.url("/held"), options: options,
                    network: server.network)
            }
            let ids = try await world.launch { session in
                try await session.submit(specs).map { try $0.get().id }
            }
            try await world.launch { session in
                let clock = ContinuousClock()
                var list: [TransferSnapshot] = []
                let times = try await [1, 2, 3].asyncMap { _ in
                    try await clock.measure { list = try await session.snapshots() }
                }
                let transfers = list.map { session.transfer($0.id) }
                print("a list of 1 000 transfers, \(execution): \(times)")
                #expect(transfers.map(\.id) == ids)
                for verb in [Transfer.pause, Transfer.resume, Transfer.cancel] {
                    try await withThrowingTaskGroup { group in
                        for transfer in transfers { group.addTask { try await verb(transfer)() } }
                        try await group.waitForAll()
                    }
                }
                #expect(try await session.snapshots().allSatisfy { $0.state == .cancelled })
            }
        }

        @Test(arguments: TransferSession.Execution.both)
        func impossibleCallsFailWithTheirCode(_ execution: TransferSession.Execution) async throws {
            let world = try SessionWorld(execution)
            let session = try await world.open()
            await expect(code: .invalidURL) { try await session.request("no url") }
            await expect(code: .unsupportedScheme) { try await session.request("ftp://example.org/") }
            let missing = world.files.path("missing")
            await expect(code: .sourceMissing) { try await session.upload(file: missing, to: server.url("/held")) }
            await expect(code: .invalidArgument) {
                try await TransferSession.open("a/b", configuration: world.configuration())
            }
            let transfer = try await session.request(server.url("/held"))
            await expect(code: .invalidState) { try await transfer.remove() }
            try await transfer.cancel()
            try await transfer.remove()
            try await session.wait { $0.transfers.isEmpty }
            await expect(code: .unknownTransfer) { try await transfer.pause() }
            await expect(code: .unknownTransfer) { try await session.transfer(transfer.id).snapshot() }
            await session.close()
            await expect(code: .invalidState) { try await session.snapshots() }
        }
    }
}

extension Array {
    func asyncMap<Value>(_ transform: (Element) async throws -> Value) async rethrows -> [Value] {
        var values: [Value] = []
        for element in self { values.append(try await transform(element)) }
        return values
    }
}

/// The call must fail with a `TransferFailure` of that code.
func expect(
    code: FailureCode, location: SourceLocation = #_sourceLocation, _ call: () async throws -> Any?
) async {
    do {
        let value = try await call()
        Issue.record("it did not fail: \(String(describing: value))", sourceLocation: location)
    } catch {
        #expect((error as? TransferFailure)?.code == code, "\(error)", sourceLocation: location)
    }
}
