import Glibc
import LonghaulClient
import LonghaulCore
import LonghaulIPC
import LonghaulSystem
import SocketTestSupport
import TestSupport
import Testing

@Suite(.enabled(if: Product.missing == nil, "\(Product.missing ?? "")")) struct ReleaseTests {
    private func submit(
        _ world: UploadWorld, _ work: (SourceFile) -> TransferSpec.Work, _ method: String, _ path: String,
        rate: Int64, through connection: ServiceConnection
    ) async throws -> TransferID {
        let source = try SourceFile.inspect(path: world.file)
        var spec = TransferSpec(
            work: work(source), method: method, url: world.server.url(path), network: world.server.network)
        spec.options.rateLimit = rate
        guard case .accepted(let id)? = try await connection.submit([spec], to: .films).first else {
            throw TransferFailure(.internalFault, "not accepted")
        }
        return id
    }

    @Test(.onEachTransport) func anAppTakesATransferOverInTheMiddleAndGivesItBack() async throws {
        let service = try await RunningService()
        let world = try UploadWorld(in: service.product)
        let connection = try await service.connect()
        let id = try await submit(
            world, { .upload(.tus($0, metadata: [])) }, "POST", "/files/", rate: 1 << 18, through: connection)
        // The rest takes a minute, whatever else the machine does.
        try await world.wait(for: 1 << 18)
        try await connection.release(.films)
        let app = try await Embedded(in: service.product)
        #expect(app.isOpen)
        let before = world.received
        try await world.wait(for: before + 1 << 18)
        #expect(try await connection.sessions().map(\.trouble?.code) == [.sessionInUse])
        try await app.stop()
        // No process runs it now: the client is still connected and has not given it back.
        #expect(try await connection.sessions().map(\.trouble?.code) == [.sessionInUse])
        try await connection.adopt(.films)
        _ = try await connection.adjust(TransferAdjustment(rateLimit: 0), .all, in: .films)
        #expect(try await world.waitForEnd())
        print("sent twice, there and back: \(world.received - UploadWorld.length) bytes")
        #expect(world.received <= UploadWorld.length + UploadWorld.socketBuffers)
        #expect(try await connection.show(id, in: .films).restarts == 0)
    }

    @Test func disconnectReclaimsUnusedSession() async throws {
        let service = try await RunningService()
        let (connection, other) = (try await service.connect(), try await service.connect())
        _ = try await connection.submit([.farAway()], to: .films)
        try await connection.release(.films)
        let error = await #expect(throws: TransferFailure.self) { try await other.list(ListQuery(), in: .films) }
        #expect(error?.code == .sessionInUse)
        let app = try await Embedded(in: service.product)
        #expect(app.isOpen)
        connection.close()
        try await service.process.waitForOutput(containing: "session run by another process")
        try await app.kill()
        #expect(try await other.list(ListQuery(), in: .films).transfers.count == 1)
    }

    @Test func aClientThatDiesGivesBackWhatItHad() async throws {
        let service = try await RunningService()
        let other = try await service.connect()
        _ = try await other.submit([.farAway()], to: .films)
        for _ in 0..<20 {
            let connection = try await service.connect()
            // Not awaited: the client may disconnect before, while, or after the session is released.
            let asked = Task { try await connection.release(.films) }
            if Bool.random() { await Task.yield() }
            connection.close()
            _ = await asked.result
            // The connection may end before or after this request; then the session is available again.
            while (try? await other.list(ListQuery(), in: .films)) == nil { await Task.yield() }
        }
    }

    @Test func watchContinuesAfterSessionIsReleasedAndAdopted() async throws {
        let service = try await RunningService()
        let (connection, watcher) = (try await service.connect(), try await service.connect())
        _ = try await connection.submit([.farAway()], to: .films)
        var updates = watcher.watch(.all, in: .films).makeAsyncIterator()
        #expect(try await updates.next()?.changed.count == 1)
        try await connection.release(.films)
        try await connection.adopt(.films)
        _ = try await connection.control(.pause, .all, in: .films)
        while let update = try await updates.next() {
            if update.changed.contains(where: { $0.state == .paused }) { return }
        }
        Issue.record("the watch ended")
    }

    @Test(.onEachTransport) func aPlainUploadIsNotGivenUpUnlessForced() async throws {
        let service = try await RunningService()
        let world = try UploadWorld(in: service.product)
        let connection = try await service.connect()
        let id = try await submit(world, { .upload(.raw($0)) }, "PUT", "/put", rate: 1 << 18, through: connection)
        try await world.wait(for: 1 << 18)
        let error = await #expect(throws: TransferFailure.self) { try await connection.release(.films) }
        #expect(error?.code == .invalidState)
        #expect(error?.message.contains("\(id)") == true)
        // The transfer was not disturbed.
        #expect(try await connection.show(id, in: .films).snapshot.state == .running(.sending))
        #expect(world.server.requests.count == 1)
        try await connection.release(.films, .forced)
        #expect(try await Embedded(in: service.product).isOpen)
    }

    @Test func aSessionThatIsNotThereYetCanBeReserved() async throws {
        let service = try await RunningService()
        let connection = try await service.connect()
        try await connection.release(.films)
        try await connection.release(.films)
        let other = try await service.connect()
        let refused = await #expect(throws: TransferFailure.self) { try await other.release(.films) }
        #expect(refused?.code == .sessionInUse)
        #expect(try await Embedded(in: service.product).isOpen)
    }
}
