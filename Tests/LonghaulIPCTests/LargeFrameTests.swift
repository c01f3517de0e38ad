import LonghaulCore
import LonghaulIPC
import SocketTestSupport
import TestSupport
import Testing

/// The total memory of incomplete frames.
@Suite struct LargeFrameTests {
    private static let session = SessionID("org.example.large")!
    private let server: TestServer
    /// About 110 kB.
    private let frame: [UInt8]

    init() throws {
        var limits = ServerLimits()
        limits.largeFrames = 150_000
        server = try TestServer(limits: limits)
        let ids = (1...6_000 as ClosedRange<UInt64>).map { TransferID(high: 1, low: $0) }
        frame = try Frame.bytes(
            of: ClientEnvelope(request: 5, message: .session(Self.session, .control(.pause, .ids(ids)))))
    }

    private func beginFrame() throws -> RawClient {
        let client = try RawClient.greeted(path: server.socketPath)
        try client.send(Array(frame[..<70_000]))
        // The frame was read this far: the server handles clients in turn.
        try expectAnswer(to: 1)
        return client
    }

    /// A client with a small request is served regardless of the others.
    private func expectAnswer(to request: UInt64) throws {
        let client = try RawClient.greeted(path: server.socketPath)
        try client.send(.status, request: request)
        #expect(try client.receive()?.message == .done)
    }

    @Test func aLongFrameWaitsForTheOnesBeforeIt() throws {
        let first = try beginFrame()
        let second = try RawClient.greeted(path: server.socketPath)
        second.sendWithoutWaiting(frame)
        try expectAnswer(to: 2)
        #expect(!server.requests.all.contains { $0.number == 5 })
        try first.send(Array(frame[70_000...]))
        #expect(try first.receive()?.message == .done)
        #expect(try second.receive()?.message == .done)
    }

    @Test func interruptedFrameReleasesMemory() throws {
        var first: RawClient? = try beginFrame()
        let second = try RawClient.greeted(path: server.socketPath)
        second.sendWithoutWaiting(Array(frame[..<80_000]))
        try expectAnswer(to: 2)
        withExtendedLifetime(first) {}
        first = nil
        second.sendWithoutWaiting(Array(frame[80_000...]))
        #expect(try second.receive()?.message == .done)
    }

    @Test func manyLongFramesAreAllServedInTheEnd() async throws {
        let (path, frame) = (server.socketPath, frame)
        try await withThrowingTaskGroup(of: Void.self) { group in
            for _ in 0..<8 {
                group.addTask {
                    try await aside {
                        let client = try RawClient.greeted(path: path)
                        try client.send(frame)
                        #expect(try client.receive()?.message == .done)
                    }
                }
            }
            try await group.waitForAll()
        }
    }
}
