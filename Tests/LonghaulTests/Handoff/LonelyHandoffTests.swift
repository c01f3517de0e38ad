import LonghaulCore
import TestSupport
import Testing

@testable import Longhaul

/// If no service can be started, an app does what it can alone, and reports that.
@Suite(.timeLimit(.minutes(5)), .enabled(if: Product.missing == nil, "\(Product.missing ?? "")"), .onEachTransport)
struct LonelyHandoffTests {
    private let world: HandoffWorld

    init() throws {
        world = try HandoffWorld()
    }

    @Test func everythingStandsStillUntilTheAppIsBack() async throws {
        try world.product.keepServiceOut()
        try await world.launch { session in
            world.stallUpload(after: 2 << 20)
            let transfer = try await world.upload(session)
            async let ending = transfer.result().ending
            try await world.wait(for: 2 << 20)
            await world.enterAndWait(.background, within: .milliseconds(300))
            let report = try await world.reports.next()
            #expect(report.reason?.message.isEmpty == false)
            #expect(report.actions == [transfer.id: .suspend(repeating: 0)])
            #expect(world.product.serviceID == nil)
            world.latch.open()
            await world.enterAndWait(.active)
            #expect(try await world.reports.next().outcome == .takenOver)
            #expect(try await ending == .succeeded)
            #expect(try await session.ownerLoss() == nil)
        }
        #expect(world.tus.uploads.map(\.checksum) == [world.content.checksum])
    }

    @Test func queryResumesSuspendedSession() async throws {
        try world.product.keepServiceOut()
        try await world.launch { session in
            let transfer = try await session.request(world.server.url("/held"))
            try await world.server.waitForRequests(1)
            await world.enterAndWait(.background, within: .milliseconds(100))
            let observed = Task { try await transfer.wait { $0.state == .succeeded } }
            world.latch.open()
            #expect(try await session.snapshots().map(\.id) == [transfer.id])
            #expect(try await observed.value.state == .succeeded)
            let history = try await transfer.history()
            #expect(world.server.requests.count == 2, "\(history)")
        }
    }

    @Test func aSessionThatIsNotGivenAwayStandsStillAsWell() async throws {
        var configuration = world.configuration()
        configuration.execution = .inProcess()
        try await world.launch(configuration) { session in
            await world.enterAndWait(.background, within: .milliseconds(100))
            #expect(world.reports.all.last?.reason?.code == .serviceUnavailable)
            #expect(world.product.serviceID == nil)
        }
    }
}

extension HandoffReport {
    /// Why the session is suspended; `nil` if it is not.
    fileprivate var reason: TransferFailure? {
        if case .suspended(let reason) = outcome { reason } else { nil }
    }
}
