import Foundation
import FoundationDouble
import LonghaulCore
import TestSupport
import Testing

@testable import LonghaulURLSession

/// The options of the system's sessions.
extension AppleSystems {
    @Suite struct ConfigurationTests {
        @Test func foregroundTransferWaitsForANetwork() async throws {
            let world = try SystemWorld(lane: .front)
            world.device.changeNetwork { $0.isOnline = false }
            let put = try await world.submit(world.upload("PUT", 1_000))
            let film = try await world.submit(world.download())
            try await world.tasks(2)
            for _ in 0..<3 { world.device.step() }
            #expect(world.device.unfinished() == 2)
            world.device.changeNetwork { $0.isOnline = true }
            for id in [put, film] {
                try await world.go("it ends") { try await world.state(id) == .succeeded }
                let detail = try await world.detail(id)
                #expect(detail.snapshot.attempts == 1 && detail.lastFailure == nil)
            }
            world.end()
        }

        @Test(arguments: [SystemEngine.Lane.front, .back]) func cookieIsNotSentBack(_ lane: SystemEngine.Lane)
            async throws
        {
            let world = try SystemWorld(lane: lane)
            world.device.changeNetwork { $0.server = { _, _ in .init(201, ["Set-Cookie": "id=1"]) } }
            for count in 1...2 {
                let put = try await world.submit(world.upload("PUT", 1_000 + count))
                try await world.go("it ends") { try await world.state(put) == .succeeded }
            }
            #expect(world.device.network.cookie == "id=1")
            #expect(world.device.network.requests.count == 2)
            #expect(world.device.network.requests.allSatisfy { $0.request.value(forHTTPHeaderField: "Cookie") == nil })
            world.end()
        }

        @Test(arguments: [false, true]) func connectionLimitReachesTheBackgroundSession(_ isDiscretionary: Bool) throws
        {
            let device = SimulatedDevice()
            SimulatedDevice.current = device
            var options = BackgroundSessionOptions(identifier: "org.example.limits")
            options.connectionsPerHost = 3
            let session = SystemSessions().session(options)
            let name = isDiscretionary ? options.discretionaryIdentifier : options.identifier
            #expect(device.configuration(of: name)?.httpMaximumConnectionsPerHost == 3)
            #expect(device.configuration(of: name)?.isDiscretionary == isDiscretionary)
            withExtendedLifetime(session) {}
        }
    }
}
