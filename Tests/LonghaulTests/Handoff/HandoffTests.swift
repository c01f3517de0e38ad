import LonghaulCore
import TestSupport
import Testing

@testable import Longhaul

/// A session that moves between its app, which stays alive, and the service.
@Suite(.timeLimit(.minutes(5)), .enabled(if: Product.missing == nil, "\(Product.missing ?? "")"), .onEachTransport)
struct HandoffTests {
    private let world: HandoffWorld

    init() throws {
        world = try HandoffWorld()
    }

    @Test func anUploadMovesToTheServiceAndBackAndItsObserversStay() async throws {
        try await world.launch { session in
            // In this process, and then in the service.
            world.stallUpload(after: 3 << 20)
            world.stallUpload(after: 2 << 20)
            let transfer = try await world.upload(session)
            async let ending = transfer.result().ending
            try await world.wait(for: 3 << 20)
            await world.enterAndWait(.background, within: .milliseconds(200))
            let leaving = try await world.reports.next()
            #expect(leaving == HandoffReport(.handedOver, actions: [transfer.id: .handOver(repeating: 0)]))
            #expect(try await session.owner() == .service)
            try await world.wait(for: 5 << 20)
            await world.enterAndWait(.active)
            world.latch.open()
            #expect(try await world.reports.next().outcome == .takenOver)
            #expect(try await session.owner() == .app)
            #expect(try await ending == .succeeded)
            #expect(try await session.ownerLoss() == nil)
        }
        #expect(world.tus.uploads.map(\.checksum) == [world.content.checksum])
        // Both owners stopped voluntarily: the server is queried for the bytes in their sockets, all of which may be lost.
        print("sent twice, there and back: \(try await world.receivedInAll() - HandoffWorld.length) bytes")
    }

    @Test func anAppThatOnlyWatchesLeavesTheSessionWithTheService() async throws {
        try await world.launch(world.configuration(takesOver: false)) { session in
            #expect(try await session.owner() == .app)
            let transfer = try await session.request(world.server.url("/held"))
            try await world.server.waitForRequests(1)
            await world.enterAndWait(.background, within: .milliseconds(100))
            #expect(try await world.reports.next().outcome == .handedOver)
            await world.enterAndWait(.active)
            #expect(try await session.owner() == .service)
            world.latch.open()
            #expect(try await transfer.result().ending == .succeeded)
        }
        // A launch that finds the session in the service leaves it there.
        try await world.launch(world.configuration(takesOver: false)) { session in
            let owner = try await session.owner()
            #expect(owner == .service)
            #expect(try await session.snapshots().count == 1)
        }
        #expect(world.reports.all.map(\.outcome) == [.handedOver])
    }

    @Test func aBodyThatEndsInTheTimeThatIsLeftIsEndedHere() async throws {
        try await world.launch { session in
            // A minute and a half: on a busy machine it must not be over before the app leaves.
            let transfer = try await world.upload(session, rate: 1 << 17)
            try await transfer.wait { $0.bytesDone >= 1 << 18 && $0.rate > 1 << 16 }
            try await world.enterBackgroundAndStay(within: .seconds(280))
            try await transfer.changeOptions { $0.rateLimit = nil }
            let report = try await world.reports.next()
            #expect(report.outcome == .handedOver)
            #expect(report.actions.count == 1)
            #expect([.finishHere, .awaitAnswer].contains(report.actions[transfer.id]))
            #expect(try await transfer.snapshot().state == .succeeded)
        }
        #expect(world.received == HandoffWorld.length)
        #expect(!world.server.requests.contains { $0.method == "HEAD" })
    }

    @Test func queuedTransferStaysInQueue() async throws {
        try await world.launch { session in
            try await session.setLimits(SessionLimits(total: 1))
            let first = try await session.request(world.server.url("/held"), method: "POST")
            let second = try await session.request(world.server.url("/other"), method: "POST")
            try await first.wait { $0.state == .awaitingResponse }
            try await world.enterBackgroundAndStay()
            world.latch.open()
            let report = try await world.reports.next()
            #expect(report.actions.keys.contains(second.id) == false)
            #expect(try await first.result().ending == .succeeded)
            #expect(try await second.result().ending == .succeeded)
        }
        #expect(world.server.requests.map(\.path) == ["/held", "/other"])
    }

    @Test func anAppThatComesBackInTimeKeepsItsSession() async throws {
        try await world.launch { session in
            let transfer = try await session.request(world.server.url("/held"), method: "POST")
            try await transfer.wait { $0.state == .awaitingResponse }
            try await world.enterBackgroundAndStay()
            await world.enterAndWait(.active)
            #expect(try await session.owner() == .app)
            world.latch.open()
            #expect(try await transfer.result().ending == .succeeded)
        }
        #expect(world.reports.all.isEmpty)
        #expect(world.server.requests.count == 1)
    }

    @Test func unresumableUploadStaysWithService() async throws {
        var configuration = world.configuration()
        configuration.execution = .service
        let visit = try await TransferSession.open(SessionWorld.session, configuration: configuration)
        let put = try await visit.upload(file: world.file, to: world.server.url("/slow"))
        try await world.server.waitForRequests(1)
        // With a window, the client's library may hold bytes that the server has not requested.
        try await world.wait(for: 8 << 20)
        try await put.wait { $0.bytesDone >= 4 << 20 }
        await visit.close()
        try await world.launch { session in
            let transfer = try await session.onlyTransfer
            #expect(transfer.id == put.id)
            #expect(try await session.owner() == .service)
            world.latch.open()
            #expect(try await transfer.result().ending == .succeeded)
            await world.enterAndWait(.background)
            await world.enterAndWait(.active)
            #expect(try await session.owner() == .app)
        }
        #expect(world.server.requests.map(\.bodyLength) == [HandoffWorld.length])
    }

    @Test func serviceContinuesAfterSessionIsClosed() async throws {
        try await world.launch { session in
            _ = try await session.request(world.server.url("/held"))
            try await world.server.waitForRequests(1)
        }
        world.latch.open()
        try await world.server.waitForFinishedRequests(2)
    }
}
