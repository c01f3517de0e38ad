import Foundation
import FoundationDouble
import LonghaulCore
import LonghaulRuntime
import LonghaulURLSession
import TestSupport

@testable import Longhaul

/// An app on a simulated device that opens its session as apps do, and whose lifecycle a test controls.
///
/// `@unchecked Sendable`: only the test changes the session.
final class LaneWorld: @unchecked Sendable {
    let system: SystemWorld
    let lifecycle = ProcessLifecycle()
    private let reports = Mailbox<HandoffReport>()
    private(set) var following: Task<Void, Never>?
    private var opened: TransferSession?

    init() throws {
        system = try SystemWorld(lane: .front, isLaunched: false)
        OpenWorlds.add(self) { [self] in await die() }
    }

    var device: SimulatedDevice { system.device }

    func open() async throws -> TransferSession {
        var configuration = TransferSession.Configuration(execution: .inProcess(stateDirectory: system.state))
        configuration.environment = [:]
        var world = InProcessWorld(
            environment: system.begin(), report: { ConditionsReport(measured: Conditions()) },
            opened: { [system] in system.runtime = $0 }, closed: {})
        world.lanes = CarrierLanes(
            choose: { [system] in system.engine?.setLane($0 == .here ? .front : .back) },
            place: { [system] id in system.engine?.lane(of: id).map { $0 == .front ? .here : .there } },
            movedInVain: { [system] in system.engine?.movedInVain ?? [:] })
        configuration.world = world
        let session = try await TransferSession.open("org.example.photos", configuration: configuration)
        opened = session
        following = Task { [lifecycle, reports] in
            await session.follow(lifecycle, reporting: { reports.append($0) })
        }
        while !lifecycle.isObserved { await Task.yield() }
        await enterAndWait(.active)
        return session
    }

    /// Enters a state, and returns when all its effects are done.
    private func enterAndWait(_ state: LifecycleState, within time: Duration? = nil) async {
        await withCheckedContinuation { continuation in
            lifecycle.enter(state, within: time) { continuation.resume() }
        }
    }

    /// The app enters the background with some time left, and completes its work there.
    @discardableResult
    func enterBackground(within time: Duration = .seconds(60)) async -> HandoffReport? {
        device.enter(.background)
        await enterAndWait(.background, within: time)
        return reports.all.last
    }

    func comeBack() async {
        device.enter(.foreground)
        await enterAndWait(.active)
    }

    /// SIGKILL.
    func die() async {
        following?.cancel()
        await following?.value
        if let opened { await system.die(with: opened) }
        opened = nil
    }

    func end() async {
        await die()
        OpenWorlds.remove(self)
        system.end()
    }
}
