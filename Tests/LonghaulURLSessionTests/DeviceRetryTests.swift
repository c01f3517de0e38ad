import Foundation
import FoundationDouble
import LonghaulCore
import LonghaulURLSession
import Synchronization
import Testing

/// Automatic actions of the system, and their cost.
extension AppleSystems {
    @Suite struct DeviceRetryTests {
        /// Apps cannot prevent it; the server recognizes the repetition by the key.
        @Test func aPostThatTheSystemRepeatsHasItsKeyBothTimesAndIsOneTask() async throws {
            let world = try SystemWorld()
            let isMute = Mutex(true)
            let mayAnswer: @Sendable () -> Bool = { isMute.withLock { !$0 } }
            world.device.changeNetwork { $0.server = { _, _ in mayAnswer() ? .init(201) : nil } }
            let post = try await world.submit(world.upload("POST", 1_000))
            try await world.go("the body has been sent") { try await world.state(post) == .awaitingResponse }
            world.device.breakConnections()
            world.device.step()
            #expect(try await world.state(post) == .awaitingResponse)
            isMute.withLock { $0 = false }
            try await world.go("it ends") { try await world.state(post) == .succeeded }
            let arrivals = world.device.network.requests
            #expect(arrivals.count == 2 && Set(arrivals.map(\.task)).count == 1)
            let keys = arrivals.map { $0.request.value(forHTTPHeaderField: "Idempotency-Key") }
            #expect(keys == ["\"\(post)\"", "\"\(post)\""])
            world.end()
        }
    }
}
