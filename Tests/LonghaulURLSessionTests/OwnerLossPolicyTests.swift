import Foundation
import FoundationDouble
import LonghaulCore
import TestSupport
import Testing

@testable import LonghaulURLSession

/// The owner-loss policy after a force-quit, which the system reports with the ends of its tasks.
extension AppleSystems {
    @Suite struct OwnerLossPolicyTests {
        /// `isListed`: the next process finds the tasks in the system's list, and then gets their ends.
        @Test(arguments: [OwnerLossPolicy.resume, .pause, .cancel], [false, true])
        func policyAppliesAfterAForceQuit(_ policy: OwnerLossPolicy, _ isListed: Bool) async throws {
            let world = try SystemWorld()
            try await world.send(.setOwnerLossPolicy(policy))
            try await world.send(.setLimits(SessionLimits(total: 1)))
            let film = try await world.submit(world.download())
            try await world.tasks(1)
            let waiting = try await world.submit(world.upload("PUT", 1_000))
            world.device.step()
            world.passTogether(60)
            world.die { $0.forceQuit(listsTasks: isListed) }
            world.pass(60)
            try world.comeBack()
            try await world.wait("it is applied") {
                let states = [try await world.state(film), try await world.state(waiting)]
                return switch policy {
                case .resume: try await world.detail(film).lastFailure != nil
                case .pause: states == [.paused, .paused]
                case .cancel: states == [.cancelled, .cancelled]
                }
            }
            // A transfer that is submitted afterwards is not affected.
            let later = try await world.submit(world.upload("PUT", 2_000))
            try await world.go("it ends") {
                world.pass(1)
                return try await world.state(later) == .succeeded
            }
            if policy == .resume {
                world.pass(1_000)
                try await world.send(.control(.retry, .ids([film])))
                try await world.go("they end") {
                    let states = [try await world.state(film), try await world.state(waiting)]
                    return states == [.succeeded, .succeeded]
                }
            } else {
                #expect(world.arrivals("PUT") == 1)
            }
            world.end()
        }
    }
}
