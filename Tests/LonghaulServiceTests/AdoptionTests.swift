import Glibc
import LonghaulClient
import LonghaulCore
import LonghaulIPC
import TestSupport
import Testing

@Suite(.enabled(if: Product.missing == nil, "\(Product.missing ?? "")")) struct AdoptionTests {
    enum Departure: CaseIterable {
        case stops
        case isKilled
    }

    @Test(.onEachTransport, arguments: Departure.allCases)
    func aSessionIsTakenOverWhenItsAppGoes(_ departure: Departure) async throws {
        let service = try await RunningService()
        let world = try UploadWorld(in: service.product)
        let app = try await Embedded(in: service.product, upload: world.upload())
        try await world.wait(for: UploadWorld.length * 3 / 4)
        switch departure {
        case .stops: try await app.stop()
        case .isKilled: try await app.kill()
        }
        try await service.process.waitForOutput(containing: "session taken over session=org.example.films")
        #expect(try await world.waitForEnd())
        // The bytes in a killed sender's socket may arrive or not. The server is queried, so only those bytes are sent twice.
        print("sent twice (\(departure)): \(world.received - UploadWorld.length) bytes")
        #expect(world.received <= UploadWorld.length + UploadWorld.socketBuffers)
    }

    /// Measures from the signal that kills the app to the first request of the service's loop, as the server sees it,
    /// including a handshake. A few rounds suffice.
    @Test(.onEachTransport) func theGapIsMeasured() async throws {
        let service = try await RunningService()
        let connection = try await service.connect()
        let world = try UploadWorld(in: service.product)
        var gaps: [Duration] = []
        for number in 0..<(Transport.current.isSecure ? 4 : 20) {
            let session = try #require(SessionID("org.example.gap\(number)"))
            // The URL of this round's upload: the previous one may still be ending.
            let path = "/files/\(number + 1)"
            let latch = Latch()
            defer { latch.open() }
            world.stall(after: 1 << 18, by: latch)
            let app = try await Embedded(in: service.product, session, upload: world.upload(rate: 1 << 20))
            _ = try await world.server.wait(for: "a part of \(path)") { log in
                log.contains { $0.path == path && $0.bodyLength >= 1 << 18 } ? true : nil
            }
            try await service.process.waitForOutput(
                containing: "session run by another process session=\(session)\n")
            gaps.append(
                try await aside {
                    let killed = ContinuousClock.now
                    app.process.signal(SIGKILL)
                    try world.server.wait(for: "the service's question") { log in
                        log.contains { $0.path == path && $0.method == "HEAD" } ? () : nil
                    }
                    return ContinuousClock.now - killed
                })
            _ = try await connection.control(.cancel, .all, in: session)
        }
        gaps.sort()
        print("gap: median \(gaps[gaps.count / 2]), least \(gaps[0]), most \(gaps[gaps.count - 1])")
        // The machine may be busy; the point is that nothing waits for a timer.
        #expect(gaps[gaps.count / 2] < .seconds(2))
    }

    @Test func aSessionMadeWhileTheServiceRunsIsLeftToItsMakerAndNoticed() async throws {
        let service = try await RunningService()
        for number in 0..<10 {
            let session = try #require(SessionID("org.example.number\(number)"))
            let app = try await Embedded(in: service.product, session)
            #expect(app.isOpen, "the service was quicker than the maker of the session")
            try await service.process.waitForOutput(
                containing: "session run by another process session=\(session)\n")
            try await app.kill()
            try await service.process.waitForOutput(containing: "session taken over session=\(session)\n")
        }
    }

    @Test func killedOwnerNeverBlocksAdoptedSession() async throws {
        let service = try await RunningService()
        let connection = try await service.connect()
        for _ in 0..<20 {
            try await connection.release(.films)
            let app = try await Embedded(in: service.product)
            #expect(app.isOpen)
            try await connection.adopt(.films)
            #expect(try await connection.sessions().map(\.trouble?.code) == [.sessionInUse])
            try await app.kill()
            // At once, whether or not the waiting thread has noticed it.
            #expect(try await connection.list(ListQuery(), in: .films).transfers == [])
        }
    }

    @Test func aSessionWithoutAWishOrWorkKeepsNoService() async throws {
        let service = try await RunningService(["--idle-exit", "1"], isKept: true)
        let app = try await Embedded(in: service.product)
        try await service.process.waitForOutput(containing: "session run by another process")
        service.release()
        #expect(try await service.process.waitForEnd() == .exited(0))
        #expect(app.process.isRunning)
    }

    @Test func serviceStaysUntilRequestedAdoptionCompletes() async throws {
        let service = try await RunningService(["--idle-exit", "1"], isKept: true)
        let app = try await Embedded(in: service.product)
        try await service.connect().adopt(.films)
        service.release()
        // Longer than a service without the request would have stayed.
        await #expect(throws: TimedOut.self) { try await service.process.waitForEnd(limit: .milliseconds(2_500)) }
        try await app.kill()
        #expect(try await service.process.waitForEnd() == .exited(0))
        #expect(service.process.output.contains("session taken over"))
    }

    @Test(.onEachTransport) func aKilledAppIsReportedOnceAndItsPolicyApplied() async throws {
        let service = try await RunningService()
        let world = try UploadWorld(in: service.product)
        let connection = try await service.connect()
        #expect(try await connection.info(of: .films) == SessionInfo())
        try await connection.setOwnerLossPolicy(.pause, of: .films)
        try await connection.release(.films)
        let latch = Latch()
        defer { latch.open() }
        world.stall(after: 1 << 18, by: latch)
        let app = try await Embedded(in: service.product, upload: world.upload(rate: 1 << 20))
        try await world.wait(for: 1 << 18)
        try await app.kill()
        try await connection.adopt(.films)
        let info = try await connection.info(of: .films)
        #expect(info.owner?.kind == .service && info.ownerLossPolicy == .pause)
        #expect(info.ownerLoss?.processID == Int(app.process.processID))
        #expect(info.ownerLoss?.reason == .unknown && info.ownerLoss?.transfers == 1)
        #expect(try await connection.list(ListQuery(), in: .films).transfers.map(\.state) == [.paused])
        try await connection.acknowledgeOwnerLoss(of: .films)
        #expect(try await connection.info(of: .films).ownerLoss == nil)
    }

    @Test func aSessionThatIsWaitedForDoesNotHoldUpTheStop() async throws {
        let service = try await RunningService()
        let app = try await Embedded(in: service.product)
        try await service.process.waitForOutput(containing: "session run by another process")
        service.process.signal(SIGTERM)
        #expect(try await service.process.waitForEnd() == .exited(0))
        #expect(app.process.isRunning)
    }
}
