import LonghaulCore
import TestSupport
import Testing

@testable import Longhaul

/// An app's watches and credential answers continue when its session moves.
@Suite(.timeLimit(.minutes(5)), .enabled(if: Product.missing == nil, "\(Product.missing ?? "")"), .onEachTransport)
struct MovingFeedTests {
    private let world: HandoffWorld
    private let server: NastyServer
    private let latch = Latch()
    private let giver = TokenGiver()

    init() throws {
        world = try HandoffWorld()
        server = try NastyServer(routes: [
            "/first": Route(.status(200)), "/second": Route(.status(200).held(by: latch)),
            "/guarded": .guarded(.status(200, body: "welcome")),
        ])
    }

    private func guarded(_ session: TransferSession) async throws -> Transfer {
        try await session.request(server.url("/guarded"), options: SessionWorld.options)
    }

    @Test func eventsContinueAfterEachMove() async throws {
        try await world.launch { session in
            var events = session.events.makeAsyncIterator()
            let first = try await session.request(server.url("/first"))
            #expect(try await events.next()?.transfer?.id == first.id)
            #expect(try await events.next()?.kind == .allTransfersFinished)
            let second = try await session.request(server.url("/second"))
            try await server.waitForRequests(2)
            await world.enterAndWait(.background, within: .milliseconds(100))
            #expect(try await world.reports.next().outcome == .handedOver)
            latch.open()
            // The service reports it.
            #expect(try await events.next()?.transfer?.id == second.id)
            #expect(try await events.next()?.kind == .allTransfersFinished)
            await world.enterAndWait(.active)
            #expect(try await world.reports.next().outcome == .takenOver)
            let third = try await session.request(server.url("/first"))
            #expect(try await events.next()?.transfer?.id == third.id)
        }
    }

    /// The service may get a watch after it has given the session back.
    @Test func watchStartedDuringTakeoverContinues() async throws {
        try await world.launch { session in
            let transfer = try await session.request(server.url("/second"))
            try await server.waitForRequests(1)
            for _ in 1...4 {
                await world.enterAndWait(.background, within: .milliseconds(100))
                #expect(try await world.reports.next().outcome == .handedOver)
                try await withThrowingTaskGroup(of: TransferID?.self) { group in
                    for _ in 1...20 {
                        group.addTask {
                            for try await snapshot in transfer.snapshots { return snapshot.id }
                            return nil
                        }
                    }
                    await world.enterAndWait(.active)
                    #expect(try await world.reports.next().outcome == .takenOver)
                    for try await id in group { #expect(id == transfer.id) }
                }
            }
            latch.open()
            #expect(try await transfer.result().ending == .succeeded)
        }
    }

    @Test func appProvidesCredentialsAfterEachMove() async throws {
        try await world.launch { session in
            let provision = try await session.provideCredentials { [giver] in giver.give($0) }
            #expect(try await guarded(session).result().ending == .succeeded)
            #expect(giver.requests.map(\.isRenewal) == [false, true])
            await world.enterAndWait(.background, within: .milliseconds(100))
            #expect(try await world.reports.next().outcome == .handedOver)
            #expect(try await guarded(session).result().ending == .succeeded)
            // The service does not have this process's answers, and sends its own requests.
            #expect(giver.requests.map(\.isRenewal) == [false, true, false, true])
            await world.enterAndWait(.active)
            #expect(try await world.reports.next().outcome == .takenOver)
            #expect(try await guarded(session).result().ending == .succeeded)
            withExtendedLifetime(provision) {}
        }
    }

    @Test func appProvidesCredentialsAfterSuspendedHandoff() async throws {
        try world.product.keepServiceOut()
        try await world.launch { session in
            let held = try await session.request(server.url("/second"))
            try await server.waitForRequests(1)
            await world.enterAndWait(.background, within: .milliseconds(100))
            _ = try await world.reports.next()
            let provision = try await session.provideCredentials { [giver] in giver.give($0) }
            await world.enterAndWait(.active)
            #expect(try await guarded(session).result().ending == .succeeded)
            latch.open()
            #expect(try await held.result().ending == .succeeded)
            withExtendedLifetime(provision) {}
        }
    }
}
