import LonghaulClient
import LonghaulCore
import LonghaulIPC
import SocketTestSupport
import TestSupport
import Testing

@Suite struct WatchStreamTests {
    private static let session = SessionID("org.example.films")!

    private func connect(to server: TestServer) async throws -> ServiceConnection {
        try await ServiceConnection.open(startsService: false, environment: server.environment)
    }

    /// Answers only `status`.
    private func makeServer() throws -> TestServer {
        try TestServer { mailbox, key, message in
            if case .sessions = message { mailbox.reply(.sessions([]), to: key) }
        }
    }

    @Test func aSlowReaderGetsTheNewestOfEveryTransferInOneUpdate() async throws {
        let server = try makeServer()
        let connection = try await connect(to: server)
        var updates = connection.watch(.all, in: Self.session).makeAsyncIterator()
        let watch = try await server.requests.next()
        for bytes in 1...100 as ClosedRange<Int64> {
            server.mailbox.update(
                WatchUpdate(changed: [.sample(1, bytesDone: bytes), .sample(2, bytesDone: bytes)], removed: []),
                to: watch)
        }
        // An answer that was sent after the updates arrives after them.
        _ = try await connection.sessions()
        let update = try await updates.next()
        #expect(update?.changed == [.sample(1, bytesDone: 100), .sample(2, bytesDone: 100)])
    }

    @Test func aReaderIsWokenByAnUpdate() async throws {
        let server = try makeServer()
        let connection = try await connect(to: server)
        let seen = Mailbox<WatchUpdate>()
        let reader = Task { [stream = connection.watch(.all, in: Self.session)] in
            for try await update in stream { seen.append(update) }
        }
        let watch = try await server.requests.next()
        server.mailbox.update(WatchUpdate(changed: [], removed: []), to: watch)
        // It has read the first update, and waits: two earlier updates would be merged.
        #expect(try await seen.next().changed == [])
        server.mailbox.update(WatchUpdate(changed: [.sample(1)], removed: []), to: watch)
        #expect(try await seen.next().changed == [.sample(1)])
        reader.cancel()
    }

    @Test func aStreamEndsByThrowingWhenTheServiceGoes() async throws {
        let server = try makeServer()
        let connection = try await connect(to: server)
        let stream = connection.watch(.all, in: Self.session)
        let reader = Task { for try await _ in stream {} }
        _ = try await server.requests.next()
        server.stop()
        let error = await #expect(throws: TransferFailure.self) { try await reader.value }
        #expect(error?.code == .serviceUnavailable)
    }

    @Test func aRefusedWatchThrowsTheRefusal() async throws {
        let refusal = TransferFailure(.sessionInUse, "No.")
        let server = try TestServer { mailbox, key, _ in mailbox.reply(.failed(refusal), to: key) }
        let connection = try await connect(to: server)
        let stream = connection.watch(.all, in: Self.session)
        let error = await #expect(throws: TransferFailure.self) { for try await _ in stream {} }
        #expect(error == refusal)
    }

    @Test func aCancelledReaderEndsWithoutAFailureAndUnwatches() async throws {
        let server = try makeServer()
        let connection = try await connect(to: server)
        let reader = Task { [stream = connection.watch(.all, in: Self.session)] in for try await _ in stream {} }
        let watch = try await server.requests.next()
        reader.cancel()
        try await reader.value
        // The next request is the unwatch.
        #expect(try await server.requests.next().number > watch.number)
        #expect(try await connection.sessions() == [])
    }

    @Test func theStreamKeepsTheConnection() async throws {
        let server = try TestServer { mailbox, key, message in
            if case .watch = message { mailbox.update(WatchUpdate(changed: [.sample(1)], removed: []), to: key) }
        }
        let stream = try await connect(to: server).watch(.all, in: Self.session)
        for try await update in stream {
            #expect(update.changed == [.sample(1)])
            break
        }
    }
}
