import LonghaulCore
import LonghaulIPC
import SocketTestSupport
import TestSupport
import Testing

@Suite struct SlowReaderTests {
    private static let session = SessionID("org.example.slow")!
    /// About half a megabyte.
    private static let page = ServiceMessage.session(
        .page(
            ListPage(
                transfers: (1...5_000).map { .sample($0) }, hasMore: false, totals: SessionTotals())))

    @Test func nonReadingClientIsDisconnected() throws {
        var limits = ServerLimits()
        limits.stallTime = .milliseconds(50)
        let server = try TestServer(limits: limits) { mailbox, key, _ in mailbox.reply(Self.page, to: key) }
        let client = try RawClient.greeted(path: server.socketPath)
        for number in 1...64 as ClosedRange<UInt64> {
            client.sendWithoutWaiting(try Frame.bytes(of: ClientEnvelope(request: number, message: .sessions)))
        }
        try server.departures.waitForCount(1)
    }

    @Test func nonReadingClientIsNotRead() throws {
        var limits = ServerLimits()
        limits.requestsAtOnce = 4
        let server = try TestServer(limits: limits, answer: { _, _, _ in })
        let client = try RawClient.greeted(path: server.socketPath)
        for number in 1...20 as ClosedRange<UInt64> { try client.send(.status, request: number) }
        let taken = try server.requests.waitForCount(4)
        // Another client's request is served after everything of the first that will be.
        let other = try RawClient.greeted(path: server.socketPath)
        try other.send(.status, request: 99)
        _ = try server.requests.next { $0.number == 99 }
        #expect(server.requests.all.filter { $0.number < 99 }.count == 4)
        for key in taken { server.mailbox.reply(.done, to: key) }
        _ = try server.requests.next { $0.number == 8 }
    }

    @Test func clientsThatDoNotReadShareOneLimit() throws {
        var limits = ServerLimits()
        limits.answers = 4 << 20
        limits.answerBytes = 512 << 10
        // The clients read one after the other, which takes minutes on a busy machine.
        limits.stallTime = .seconds(3_600)
        let server = try TestServer(limits: limits) { mailbox, key, _ in mailbox.reply(Self.page, to: key) }
        let clients = try (0..<8).map { _ in try RawClient.greeted(path: server.socketPath) }
        for client in clients {
            for number in 1...12 as ClosedRange<UInt64> {
                client.sendWithoutWaiting(try Frame.bytes(of: ClientEnvelope(request: number, message: .sessions)))
            }
        }
        // Eight answers fill the limit, and each client gets one in any case. Some bytes are in the buffers of the sockets.
        let other = try RawClient.greeted(path: server.socketPath)
        for number in 1...3 as ClosedRange<UInt64> {
            try other.send(.status, request: number)
            _ = try other.receive()
        }
        #expect(server.requests.all.filter { $0.client.value <= 8 }.count <= 8 + 8 + 8)
        // Held requests are served once the answers before them are read.
        for client in clients { for _ in 1...12 { _ = try #require(try client.receive()) } }
        #expect(server.requests.all.count == 8 * 12 + 3)
    }

    @Test func requestsOfHeldClientThatLeavesAreDropped() throws {
        var limits = ServerLimits()
        limits.answers = limits.answerBytes
        let server = try TestServer(limits: limits, answer: { _, _, _ in })
        var client: RawClient? = try RawClient.greeted(path: server.socketPath)
        for number in 1...10 as ClosedRange<UInt64> { try client?.send(.status, request: number) }
        _ = try server.requests.next { $0.number == 1 }
        client = nil
        try server.departures.waitForCount(1)
        let other = try RawClient.greeted(path: server.socketPath)
        try other.send(.status, request: 99)
        _ = try server.requests.next { $0.number == 99 }
        #expect(server.requests.all.map(\.number) == [1, 99])
    }

    @Test func moreThanTheOutputLimitClosesTheConnection() throws {
        var limits = ServerLimits()
        limits.outputLimit = 1 << 20
        limits.requestsAtOnce = 1_000
        limits.outputHighWater = .max
        let server = try TestServer(limits: limits) { mailbox, key, _ in mailbox.reply(Self.page, to: key) }
        let client = try RawClient.greeted(path: server.socketPath)
        for number in 1...16 as ClosedRange<UInt64> {
            client.sendWithoutWaiting(try Frame.bytes(of: ClientEnvelope(request: number, message: .sessions)))
        }
        try server.departures.waitForCount(1)
    }

    @Test func aWatcherThatDoesNotReadGetsTheNewestOfEverything() throws {
        let server = try TestServer { mailbox, key, message in
            if case .status = message { mailbox.reply(.done, to: key) }
        }
        let client = try RawClient.greeted(path: server.socketPath)
        try client.send(.watch(Self.session, .all), request: 1)
        let source = PulledSource(server.mailbox, try server.requests.next { $0.number == 1 })
        for bytes in 1...200 as ClosedRange<Int64> {
            let changed = (1...500).map { TransferSnapshot.sample($0, bytesDone: bytes) }
            source.put(WatchUpdate(changed: changed, removed: []))
        }
        var newest: [TransferID: Int64] = [:]
        var received = 0
        while newest.count < 500 || newest.values.contains(where: { $0 < 200 }) {
            guard case .update(let update) = try client.receive()?.message else { break }
            received += update.changed.count
            for snapshot in update.changed { newest[snapshot.id] = snapshot.bytesDone }
        }
        #expect(newest.count == 500)
        #expect(received < 200 * 500 / 2, "updates were merged and not queued")
    }

    @Test func oversizedPageIsCutAndReportsMore() throws {
        var limits = ServerLimits()
        limits.frame = 64 << 10
        let server = try TestServer(limits: limits) { mailbox, key, _ in mailbox.reply(Self.page, to: key) }
        let client = try RawClient.greeted(path: server.socketPath)
        try client.send(.sessions, request: 1)
        guard case .session(.page(let page)) = try client.receive()?.message else { throw RawClient.Unexpected.silence }
        #expect(page.hasMore)
        #expect(page.transfers.count > 50)
        #expect(page.transfers.first?.sequence == 1)
    }

    @Test func anAnswerThatDoesNotFitIsAFailure() throws {
        var limits = ServerLimits()
        limits.frame = 1 << 10
        let server = try TestServer(limits: limits) { mailbox, key, _ in
            mailbox.reply(.failed(TransferFailure(.internalFault, String(repeating: "x", count: 2_000))), to: key)
        }
        let client = try RawClient.greeted(path: server.socketPath)
        try client.send(.sessions, request: 1)
        guard case .failed(let failure) = try client.receive()?.message else { throw RawClient.Unexpected.silence }
        #expect(failure.code == .messageTooLarge)
    }

    @Test func aLargeUpdateArrivesInPieces() throws {
        var limits = ServerLimits()
        limits.frame = 64 << 10
        let server = try TestServer(limits: limits) { mailbox, key, _ in
            mailbox.update(WatchUpdate(changed: (1...10_000).map { .sample($0) }, removed: []), to: key)
        }
        let client = try RawClient.greeted(path: server.socketPath)
        try client.send(.watch(Self.session, .all), request: 1)
        var numbers: [Int64] = []
        while numbers.count < 10_000, case .update(let update) = try client.receive()?.message {
            numbers += update.changed.map(\.sequence)
        }
        #expect(numbers == Array(1...10_000))
    }
}
