import LonghaulClient
import LonghaulCore
import LonghaulIPC
import SocketTestSupport
import TestSupport
import Testing

@Suite(.enabled(if: Product.missing == nil, "\(Product.missing ?? "")")) struct ClientsTests {
    @Test func twoClientsSeeTheSame() async throws {
        let service = try await RunningService()
        let (first, second) = (try await service.connect(), try await service.connect())
        let answers = try await first.submit([.farAway("a"), .farAway("b")], to: .films)
        let page = try await second.list(ListQuery(), in: .films)
        #expect(page.transfers.map { SubmissionAnswer.accepted($0.id) } == answers)
        #expect(page.totals.waiting == 2)
        #expect(try await second.show(page.transfers[0].id, in: .films).snapshot.id == page.transfers[0].id)
    }

    @Test func aWatcherSeesWhatAnotherClientDoes() async throws {
        let service = try await RunningService()
        let (watcher, other) = (try await service.connect(), try await service.connect())
        var updates = watcher.watch(.all, in: .films).makeAsyncIterator()
        #expect(
            try await updates.next() == WatchUpdate(changed: [], removed: [], beginsList: true, completesList: true))
        _ = try await other.submit([.farAway()], to: .films)
        _ = try await other.control(.pause, .all, in: .films)
        while let update = try await updates.next() {
            if update.changed.contains(where: { $0.state == .paused }) { return }
        }
        Issue.record("the stream ended")
    }

    @Test func watchOfExistingSessionStartsWithAllTransfers() async throws {
        let service = try await RunningService()
        let connection = try await service.connect()
        _ = try await connection.submit((1...600).map { .farAway("f\($0)") }, to: .films)
        var seen: Set<TransferID> = []
        for try await update in connection.watch(.all, in: .films) {
            seen.formUnion(update.changed.map(\.id))
            if seen.count == 600 { break }
        }
        #expect(seen.count == 600)
    }

    @Test func clientsDisconnectingMidFrameDoNotDisturbOthers() async throws {
        let service = try await RunningService()
        let survivor = try await service.connect()
        let frame = try Frame.bytes(of: ClientEnvelope(request: 1, message: .session(.films, .submit([.farAway()]))))
        for count in stride(from: 1, to: frame.count, by: 7) {
            let client = try service.rawClient()
            try client.send(.watch(.films, .all), request: 2)
            try client.send(Array(frame[..<count]))
        }
        #expect(try await survivor.list(ListQuery(), in: .films).transfers == [])
        #expect(service.process.isRunning)
    }

    @Test func randomBytesAreRefused() async throws {
        let service = try await RunningService()
        let survivor = try await service.connect()
        var generator = SeededChance(seed: 7)
        for _ in 0..<200 {
            let client = try service.rawClient()
            let length = Int.random(in: 1...200, using: &generator)
            let body = (0..<length).map { _ in UInt8.random(in: .min ... .max, using: &generator) }
            client.sendWithoutWaiting([UInt8(length + 1), 0, 0, 0, 1] + body)
            guard case .failed(let failure) = try client.receiveToEnd() else { throw RawClient.Unexpected.silence }
            #expect(failure.code == .protocolMismatch)
        }
        _ = try await survivor.status()
    }

    @Test func anOversizeFrameIsRefused() async throws {
        let service = try await RunningService()
        let client = try service.rawClient()
        try client.send([0, 0, 0, 0x40, 1])
        guard case .failed(let failure) = try client.receiveToEnd() else { throw RawClient.Unexpected.silence }
        #expect(failure.code == .messageTooLarge)
    }

    @Test func hundredUnreadWatchesUseLittleMemory() async throws {
        let service = try await RunningService()
        let connection = try await service.connect()
        _ = try await connection.submit((1...5_000).map { .farAway("f\($0)") }, to: .films)
        let before = try await connection.status().residentBytes
        let sleeper = try service.rawClient()
        for request in 1...100 as ClosedRange<UInt64> { try sleeper.send(.watch(.films, .all), request: request) }
        for _ in 1...3 {
            _ = try await connection.control(.pause, .all, in: .films)
            _ = try await connection.control(.resume, .all, in: .films)
        }
        var seen: Set<TransferID> = []
        for try await update in connection.watch(.all, in: .films) {
            seen.formUnion(update.changed.map(\.id))
            if update.completesList { break }
        }
        #expect(seen.count == 5_000)
        #expect(try await connection.status().residentBytes - before < 60 << 20)
    }

    @Test func aWatcherThatNeverReadsDoesNotDelayOthers() async throws {
        let service = try await RunningService()
        let sleeper = try service.rawClient()
        try sleeper.send(.watch(.films, .all), request: 1)
        let connection = try await service.connect()
        _ = try await connection.submit((1...1_000).map { .farAway("f\($0)") }, to: .films)
        for _ in 1...3 {
            _ = try await connection.control(.pause, .all, in: .films)
            _ = try await connection.control(.resume, .all, in: .films)
        }
        #expect(try await connection.status().residentBytes < 200 << 20)
    }
}
