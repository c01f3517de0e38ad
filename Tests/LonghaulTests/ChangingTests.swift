import Longhaul
import LonghaulCore
import TestSupport
import Testing

extension SessionConformance {
    /// Changes of a submitted transfer.
    @Suite(.onEachTransport) struct ChangingTests {
        private let latch = Latch()
        private let content = Content(seed: 4, length: 2_000_000)
        private let server: NastyServer

        init() throws {
            let reply = Reply.file(content, etag: "\"v1\"")
            server = try NastyServer(routes: [
                "/film": .inTurn(reply.stalled(after: 1_000_000, by: latch), reply),
                "/held": Route(.status(200).held(by: latch)), "/no": Route(.status(404, body: "gone")),
                "/ok": Route(.status(200, body: "ok")), "/put": Route(.status(201, body: "stored")),
            ])
        }

        @Test(arguments: TransferSession.Execution.both)
        func changedOptionsSurviveRelaunch(_ execution: TransferSession.Execution) async throws {
            let world = try SessionWorld(execution)
            let (id, first) = try await world.launch { session in
                let first = try await session.request(server.url("/held"))
                let transfer = try await session.download(from: server.url("/film"), to: world.work)
                try await transfer.pause()
                try await transfer.changeOptions {
                    ($0.priority, $0.rateLimit, $0.group) = (100, 9_000_000, "films")
                    ($0.conditions.allowsRoaming, $0.segments, $0.predecessor) = (false, 1, first.id)
                }
                return (transfer.id, first.id)
            }
            try await world.launch { session in
                let transfer = session.transfer(id)
                let options = try await transfer.detail().options
                #expect(options.priority == 100 && options.rateLimit == 9_000_000 && options.group == "films")
                #expect(!options.conditions.allowsRoaming && options.segments == 1 && options.predecessor == first)
                try await transfer.resume()
                let state = try await transfer.snapshot().state
                guard case .waiting(let waiting) = state, waiting.reason == .predecessor else { throw Unexpected() }
                try await transfer.changeOptions { ($0.rateLimit, $0.predecessor) = (nil, nil) }
                latch.open()
                #expect(try await transfer.value.group == "films")
                await expect(code: .invalidState) { try await transfer.changeOptions { $0.priority = 1 } }
            }
        }

        @Test func fixedOptionIsRefusedAndNothingChanges() async throws {
            try await SessionWorld(.inProcess()).launch { session in
                let transfer = try await session.request(server.url("/held"))
                let failure = await #expect(throws: TransferFailure.self) {
                    try await transfer.changeOptions { ($0.priority, $0.responseLimit) = (7, 5) }
                }
                #expect(failure?.code == .invalidArgument && failure?.message.contains("responseLimit") == true)
                #expect(try await transfer.snapshot().priority == 0)
            }
        }

        @Test(arguments: TransferSession.Execution.both)
        func movedDownloadKeepsItsBytes(_ execution: TransferSession.Execution) async throws {
            let world = try SessionWorld(execution)
            try await world.launch { session in
                let transfer = try await session.download(from: server.url("/film"), to: world.work, key: "film")
                try await transfer.wait { $0.bytesDone >= 1_000_000 }
                await expect(code: .invalidState) { try await transfer.move(to: world.work + "/new") }
                try await transfer.pause()
                try await transfer.wait { $0.state == .paused }
                await expect(code: .invalidArgument) { try await transfer.move(to: world.work, fileName: "a/b") }
                try await transfer.move(to: world.work + "/new", fileName: "dunes")
                // The key identifies the download as it was submitted, and as it is now.
                let again = try await session.download(from: server.url("/film"), to: world.work, key: "film")
                #expect(again.id == transfer.id)
                try await transfer.resume()
                #expect(try await transfer.value.path == world.work + "/new/dunes")
            }
            #expect(try world.files.read("work/new/dunes") == content.bytes())
            #expect(server.requests.last?.range?.first ?? 0 > 990_000)
        }

        @Test(arguments: TransferSession.Execution.both)
        func groupOfUploadsHasFractionFromTheStart(_ execution: TransferSession.Execution) async throws {
            let world = try SessionWorld(execution)
            try world.files.write(content, to: "work/a")
            try await world.launch { session in
                var options = TransferOptions()
                options.group = "holiday"
                let text = FormField.text(name: "album", value: "holiday")
                for _ in 0..<12 {
                    try await session.upload(file: world.work + "/a", to: server.url("/held"), options: options)
                }
                try await session.uploadResumably(file: world.work + "/a", to: server.url("/held"), options: options)
                try await session.upload(data: [1, 2], to: server.url("/held"), options: options)
                try await session.upload(form: [text], to: server.url("/held"), options: options)
                let progress = try await session.progress(matching: .group("holiday"))
                #expect(progress.waiting > 0 && progress.fractionCompleted != nil)
                #expect(progress.bytesTotal.map { (26_000_100..<26_000_400).contains($0) } == true)
                try await session.cancelAll(matching: TransferQuery(group: "holiday", isEnded: false))
            }
        }

        @Test(arguments: TransferSession.Execution.both)
        func takenKeyIsRefusedAndNamesTheDifference(_ execution: TransferSession.Execution) async throws {
            let world = try SessionWorld(execution)
            try await world.launch { session in
                try await session.request(server.url("/held"), key: "k")
                let failure = await #expect(throws: TransferFailure.self) {
                    try await session.request(server.url("/put"), key: "k")
                }
                #expect(failure?.code == .keyTaken && failure?.message.contains("differs in the URL") == true)
                #expect(try await session.snapshots().count == 1)
            }
        }

        @Test(arguments: TransferSession.Execution.both)
        func bytesAreFormField(_ execution: TransferSession.Execution) async throws {
            let world = try SessionWorld(execution)
            let bytes: [UInt8] = [0xFF, 0x00, 0xD8]
            let form: [FormField] = [
                .data(name: "thumb", bytes, fileName: "t.jpg"), .text(name: "title", value: "Dunes"),
            ]
            try await world.launch { session in
                let response = try await session.upload(form: form, to: server.url("/put")).response()
                #expect(response.status == 201 && response.body == Array("stored".utf8))
            }
            let body = try #require(server.requests.first?.body)
            let head = "name=\"thumb\"; filename=\"t.jpg\"\r\nContent-Type: image/jpeg\r\n\r\n"
            #expect(body.firstRange(of: Array(head.utf8) + bytes) != nil)
            #expect(throws: TransferFailure.self) { try TransferSpec.upload(form: form, to: server.url("/put")) }
        }

        @Test(arguments: TransferSession.Execution.both)
        func responseIsReturnedWhateverItsStatus(_ execution: TransferSession.Execution) async throws {
            let world = try SessionWorld(execution)
            try await world.launch { session in
                let response = try await session.request(server.url("/no")).response()
                #expect(response.status == 404 && response.body == Array("gone".utf8))
                let held = try await session.request(server.url("/held"))
                try await held.cancel()
                await expect(code: .interrupted) { try await held.response() }
                await expect(code: .interrupted) { try await held.value }
                let download = try await session.download(from: server.url("/ok"), to: world.work)
                await expect(code: .invalidState) { try await download.response() }
            }
        }

        @Test func bulkCallsTakeQueries() async throws {
            let world = try SessionWorld(.inProcess())
            try await world.launch { session in
                let held = try await session.request(server.url("/held"))
                let failed = try await session.request(server.url("/no"))
                _ = try await failed.result()
                let ended = TransferQuery(isEnded: true)
                #expect(try await session.retryAll(matching: ended) == 1)
                _ = try await failed.result()
                #expect(try await session.cancelAll(matching: TransferQuery(direction: .upload)) == 0)
                #expect(try await session.pauseAll(matching: TransferQuery(ids: [held.id])) == 1)
                #expect(try await session.removeAll(matching: ended) == 1)
                try await session.wait { $0.transfers.map(\.id) == [held.id] }
            }
        }
    }
}
