import LonghaulCore
import LonghaulIPC
import SocketTestSupport
import Synchronization
import TestSupport
import Testing

/// The memory limits of clients' watches and streams.
@Suite struct WatchLimitTests {
    private static let session = SessionID("org.example.watched")!

    private func expectDone(_ client: RawClient, _ message: ClientMessage, request: UInt64) throws {
        try client.send(message, request: request)
        #expect(try client.receive() == ServiceEnvelope(request: request, message: .done))
    }

    private func expectRefusal(_ client: RawClient, _ message: ClientMessage, request: UInt64) throws {
        try client.send(message, request: request)
        guard let envelope = try client.receive(), case .failed(let failure) = envelope.message else {
            throw RawClient.Unexpected.silence
        }
        #expect(envelope.request == request && failure.code == .serviceUnavailable)
    }

    /// Returns a server that answers all requests except watches and streams.
    private func makeServer(_ limits: ServerLimits) throws -> TestServer {
        try TestServer(limits: limits) { mailbox, key, message in
            switch message {
            case .watch, .attach, .runTasks, .provideCredentials: break
            default: mailbox.reply(.done, to: key)
            }
        }
    }

    @Test func theStreamsOfAClientAreCountedByWhatTheyTake() throws {
        var limits = ServerLimits()
        limits.watchBytesOfClient = 4 << 10
        let server = try makeServer(limits)
        let client = try RawClient.greeted(path: server.socketPath)
        try client.send(.watch(Self.session, .all), request: 1)
        try client.send(.attach(Self.session), request: 2)
        try client.send(.provideCredentials(Self.session), request: 3)
        try expectRefusal(client, .watch(Self.session, .ids([TransferID(high: 1, low: 1)])), request: 4)
        try client.send(.watch(Self.session, .group("g")), request: 5)
        try expectRefusal(client, .attach(Self.session), request: 6)
        try expectDone(client, .unwatch(request: 2), request: 7)
        try expectDone(client, .endProviding(request: 3), request: 8)
        // An ended watch frees memory, and a refused one takes none.
        try client.send(.watch(Self.session, .all), request: 9)
        try client.send(.watch(Self.session, .all), request: 10)
        try expectDone(client, .status, request: 11)
        // Other clients have their own limits.
        let other = try RawClient.greeted(path: server.socketPath)
        try other.send(.watch(Self.session, .all), request: 1)
        try expectDone(other, .status, request: 2)
    }

    @Test func allStreamsTogetherAreCountedAndThoseOfWhoLeavesAreNot() throws {
        var limits = ServerLimits()
        limits.watchBytes = 2 << 10
        let server = try makeServer(limits)
        let (first, second) = (
            try RawClient.greeted(path: server.socketPath), try RawClient.greeted(path: server.socketPath)
        )
        for request in 1...2 as ClosedRange<UInt64> { try first.send(.watch(Self.session, .all), request: request) }
        try expectDone(first, .status, request: 3)
        try expectRefusal(second, .watch(Self.session, .all), request: 1)
        try expectDone(first, .unwatch(request: 1), request: 4)
        try second.send(.watch(Self.session, .all), request: 2)
        try expectDone(second, .status, request: 3)
    }

    @Test func fullClientBuffersStopUpdateCreation() throws {
        let server = try makeServer(ServerLimits())
        let client = try RawClient.greeted(path: server.socketPath)
        let snapshots = (1...256).map { TransferSnapshot.sample($0) }
        var sources: [PulledSource] = []
        for request in 1...100 as ClosedRange<UInt64> {
            try client.send(.watch(Self.session, .all), request: request)
            let source = PulledSource(server.mailbox, try server.requests.next { $0.number == request })
            source.put(WatchUpdate(changed: snapshots, removed: []))
            sources.append(source)
        }
        let other = try RawClient.greeted(path: server.socketPath)
        for request in 1...100 as ClosedRange<UInt64> { try expectDone(other, .status, request: request) }
        let made = sources.reduce(0) { $0 + $1.pulls }
        #expect(made > 1 && made < 60, "about half a megabyte fits into the queue and the socket")
        // All updates arrive when the client reads.
        var seen: Set<UInt64> = []
        while seen.count < 100, let envelope = try client.receive() {
            if case .update(let update) = envelope.message {
                #expect(update.changed == snapshots)
                seen.insert(envelope.request)
            }
        }
        #expect(seen == Set(1...100))
    }

    @Test func fewUpdatesAreMadeAtATime() throws {
        var limits = ServerLimits()
        limits.pulls = 1
        let server = try makeServer(limits)
        let held = TestSupport.Mailbox<@Sendable (WatchUpdate?) -> Void>()
        let (first, second) = (
            try RawClient.greeted(path: server.socketPath), try RawClient.greeted(path: server.socketPath)
        )
        for client in [first, second] {
            try client.send(.watch(Self.session, .all), request: 1)
            let key = try server.requests.next { $0.number == 1 }
            server.mailbox.offer({ held.append($0) }, to: key)
            try expectDone(client, .status, request: 2)
        }
        #expect(held.all.count == 1)
        held.all[0](nil)
        try held.waitForCount(2)
        held.all[1](WatchUpdate(changed: [.sample(7)], removed: []))
        guard case .update(let update) = try second.receive()?.message else { throw RawClient.Unexpected.silence }
        #expect(update.changed.map(\.sequence) == [7])
    }
}
