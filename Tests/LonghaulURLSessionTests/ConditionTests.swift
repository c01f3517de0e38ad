import Foundation
import FoundationDouble
import LonghaulCore
import LonghaulURLSession
import Testing

/// A transfer's conditions and start times when the system runs it.
extension AppleSystems {
    @Suite struct ConditionTests {
        @Test(arguments: [(3, 0.75), (0, 0.5), (-3, 0.25)] as [(Int, Float)])
        func systemTaskGetsTransferConditionsAndPriority(_ priority: Int, _ hint: Float) async throws {
            let world = try SystemWorld()
            var spec = try world.upload("PUT", 1_000)
            spec.options.conditions.allowsExpensiveNetworkAccess = false
            spec.options.conditions.allowsConstrainedNetworkAccess = false
            spec.options.conditions.links = [.wifi]
            spec.options.priority = priority
            let put = try await world.submit(spec)
            try await world.tasks(1)
            let task = try #require(await world.systemTasks().first)
            #expect(task.priority == hint && task.countOfBytesClientExpectsToSend == 1_000 + 2_048)
            #expect(task.countOfBytesClientExpectsToReceive == 2_048 && task.earliestBeginDate == nil)
            try await world.go("it ends") { try await world.state(put) == .succeeded }
            let request = try #require(world.device.network.requests.first?.request)
            #expect(!request.allowsCellularAccess && !request.allowsExpensiveNetworkAccess)
            #expect(!request.allowsConstrainedNetworkAccess && request.timeoutInterval == 1_800)
            world.end()
        }

        /// The network changes while the app is not running; the app is opened, and learns of the modem, in the middle.
        @Test func meteredUploadWaitsAndIsSentOnce() async throws {
            let world = try SystemWorld()
            var spec = try world.upload("POST", 200_000)
            spec.options.conditions.allowsExpensiveNetworkAccess = false
            let post = try await world.submit(spec)
            try await world.tasks(1)
            world.device.step()
            world.die()
            world.useModem(true)
            #expect(!world.device.step())
            try world.comeBack()
            #expect(try await world.state(post) == .running(.sending))
            world.useModem(false)
            try await world.go("it ends") { try await world.state(post) == .succeeded }
            #expect(world.arrivals("POST") == 1 && world.device.network.bytesSent == 200_000)
            world.end()
        }

        @Test func discretionaryTransferHasOwnSessionAndLaunch() async throws {
            let world = try SystemWorld()
            var spec = try world.upload("PUT", 1_000)
            spec.options.conditions.isDiscretionary = true
            let put = try await world.submit(spec)
            try await world.tasks(1)
            world.device.plug(in: false)
            world.die()
            for _ in 0..<3 { world.device.step() }
            #expect(world.device.launches.isEmpty)
            world.device.plug(in: true)
            try await world.go("launched") { world.device.launches.count == 1 && world.device.openHandlers == 0 }
            #expect(world.device.launches == [SystemWorld.identifier + ".discretionary"])
            #expect(try await world.state(put) == .succeeded && world.arrivals("PUT") == 1)
            world.end()
        }
    }
}
