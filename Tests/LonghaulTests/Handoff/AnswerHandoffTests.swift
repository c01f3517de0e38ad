import LonghaulCore
import TestSupport
import Testing

@testable import Longhaul

/// A request that was sent completely is never sent again because its app leaves.
@Suite(.timeLimit(.minutes(5)), .enabled(if: Product.missing == nil, "\(Product.missing ?? "")"), .onEachTransport)
struct AnswerHandoffTests {
    private let world: HandoffWorld

    init() throws {
        world = try HandoffWorld()
    }

    private func post(_ session: TransferSession, key: String? = nil) async throws -> Transfer {
        var options = TransferOptions()
        options.idempotencyKey = key
        let transfer = try await session.request(world.server.url("/held"), method: "POST", body: [1], options: options)
        try await transfer.wait { $0.state == .awaitingResponse }
        return transfer
    }

    @Test func theAnswerIsWaitedForInTheTimeThatIsLeft() async throws {
        try await world.launch { session in
            let transfer = try await post(session)
            try await world.enterBackgroundAndStay()
            // It waits: no other process could get the response.
            #expect(try await session.owner() == .app)
            world.latch.open()
            let report = try await world.reports.next()
            #expect(report == HandoffReport(.handedOver, actions: [transfer.id: .awaitAnswer]))
            #expect(try await transfer.result().ending == .succeeded)
        }
        #expect(world.server.requests.count == 1)
    }

    @Test func anAnswerThatDoesNotComeLeavesTheOutcomeUnknown() async throws {
        try await world.launch { session in
            let transfer = try await post(session)
            await world.enterAndWait(.background, within: .milliseconds(300))
            #expect(try await world.reports.next().outcome == .handedOver)
            #expect(try await transfer.result().failure?.code == .outcomeUnknown)
        }
        world.latch.open()
        #expect(world.server.requests.count == 1)
    }

    @Test func withAKeyTheServiceAsksAgain() async throws {
        try await world.launch { session in
            let transfer = try await post(session, key: "order-1")
            await world.enterAndWait(.background, within: .milliseconds(300))
            #expect(try await world.reports.next().outcome == .handedOver)
            try await world.server.waitForRequests(2)
            world.latch.open()
            #expect(try await transfer.result().ending == .succeeded)
        }
        let keys = world.server.requests.map { $0.header("Idempotency-Key") ?? "" }
        #expect(keys.count == 2 && Set(keys).count == 1 && keys[0].contains("order-1"))
    }

    @Test func aKilledServiceIsStartedForTheHandOver() async throws {
        try await world.launch { session in
            world.stallUpload(after: 1 << 20)
            let transfer = try await world.upload(session)
            try await world.wait(for: 1 << 20)
            try await world.product.killService()
            // Enough time to start the service on a busy machine; the app does not wait for a stalled transfer.
            await world.enterAndWait(.background, within: .seconds(20))
            #expect(try await world.reports.next().outcome == .handedOver)
            #expect(try await session.owner() == .service)
            world.latch.open()
            #expect(try await transfer.result().ending == .succeeded)
        }
    }
}
