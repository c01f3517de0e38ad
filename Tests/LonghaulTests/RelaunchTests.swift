import Longhaul
import LonghaulCore
import TestSupport
import Testing

extension SessionConformance {
    @Suite(.onEachTransport) struct RelaunchTests {
        private let latch = Latch()
        private let content = Content(seed: 5, length: 2_000_000)
        private let server: NastyServer

        init() throws {
            let reply = Reply.file(content, etag: "\"v1\"")
            server = try NastyServer(routes: [
                "/film": .inTurn(reply.stalled(after: 1_000_000, by: latch), reply),
                "/held": Route(.status(200).held(by: latch)),
            ])
        }

        @Test(arguments: TransferSession.Execution.both)
        func transferContinuesAtNextLaunch(_ execution: TransferSession.Execution) async throws {
            let world = try SessionWorld(execution)
            let id = try await world.launch { session in
                let transfer = try await session.download(from: server.url("/film"), to: world.work, key: "film")
                try await transfer.wait { $0.bytesDone >= 1_000_000 }
                return transfer.id
            }
            latch.open()
            try await world.launch { session in
                let transfer = try #require(try await session.transfer(key: "film"))
                #expect(transfer.id == id)
                #expect(try await transfer.result().ending == .succeeded)
            }
            #expect(try world.files.read("work/film") == content.bytes())
            let received = server.requests.reduce(0) { $0 + $1.responseBytes }
            // Up to a page is requested again, to compare it with the file.
            #expect(received <= content.length + 1_000_000 + 4_096)
        }

        @Test func killedServiceRestartsAndObserversContinue() async throws {
            let world = try SessionWorld(.service)
            try await world.launch { session in
                let transfer = try await session.download(from: server.url("/film"), to: world.work)
                let gone = try await session.request(server.url("/held"))
                try await gone.cancel()
                var changes = session.changes().makeAsyncIterator()
                #expect(try await changes.next()?.inserted.map(\.id) == [transfer.id, gone.id])
                try await transfer.wait { $0.bytesDone >= 1_000_000 }
                try await world.product.killService()
                // Without an observer, one transfer is removed; the observer gets the difference.
                try await gone.remove()
                var removed: [TransferID] = []
                var last: TransferState?
                while removed.isEmpty || last?.isEnded != true {
                    let change = try #require(try await changes.next())
                    #expect(!change.isInitial && change.inserted.isEmpty)
                    removed += change.removed
                    last = change.updated.last?.state ?? last
                }
                #expect(removed == [gone.id])
                #expect(last == .succeeded)
            }
            #expect(try world.files.read("work/film") == content.bytes())
        }

        @Test func aServiceThatIsKilledDoesNotEndTheWaitForAResult() async throws {
            let world = try SessionWorld(.service)
            try await world.launch { session in
                let transfer = try await session.request(server.url("/held"))
                async let result = transfer.result()
                try await server.waitForRequests(1)
                try await world.product.killService()
                latch.open()
                #expect(try await result.ending == .succeeded)
            }
        }

        @Test func onlyOneProcessRunsSession() async throws {
            let world = try SessionWorld(.inProcess())
            try await world.launch { _ in
                await expect(code: .sessionInUse) { try await world.open() }
            }
            let left = try await world.launch { session in try await session.snapshots() }
            #expect(left.isEmpty)
        }

        @Test func aSessionThatIsLetGoIsFree() async throws {
            let world = try SessionWorld(.inProcess())
            _ = try await world.open()
            while true {
                do throws(TransferFailure) {
                    let again = try await TransferSession.open(
                        SessionWorld.session, configuration: world.configuration())
                    await again.close()
                    break
                } catch {
                    try #require(error.code == .sessionInUse)
                    await Task.yield()
                }
            }
        }

        @Test func anAppThatIsKilledFiveTimesSendsItsUploadOnce() async throws {
            let world = try SessionWorld(.service)
            let body = Content(seed: 9, length: 24 << 20)
            try world.files.write(body, to: "work/photo.jpg")
            // The server reads this much of the body and no more until the app was killed five times.
            server.setRoute("/photo", Reply.status(201).intake(.stall(after: 8 << 20, latch)))
            let call = {
                var call = world.product.call(
                    "longhaul", [SessionWorld.session, "photo.jpg", server.url("/photo"), server.caFile])
                call.path = Product.directory + "/SampleApp"
                return call
            }()
            for _ in 1...5 {
                let app = try ChildProcess(call)
                try await app.waitForOutput(containing: "Sending.")
                app.signal(9)
                #expect(try await app.waitForEnd() == .killed(signal: 9))
            }
            latch.open()
            let app = try ChildProcess(call)
            try await app.waitForOutput(containing: "ended Succeeded.")
            let request = try #require(server.requests.first)
            #expect(server.requests.count == 1)
            #expect(request.bodyLength == body.length)
            #expect(request.bodyChecksum == body.checksum)
        }
    }
}
