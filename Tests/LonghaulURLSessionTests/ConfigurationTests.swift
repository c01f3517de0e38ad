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
            // The app's own requests would send it.
            #expect(world.device.network.cookie == nil)
            #expect(world.device.network.requests.count == 2)
            #expect(world.device.network.requests.allSatisfy { $0.request.value(forHTTPHeaderField: "Cookie") == nil })
            world.end()
        }

        /// A cache would answer the second request, and keep its body in clear text.
        @Test(arguments: [SystemEngine.Lane.front, .back]) func eachResponseComesFromItsServer(
            _ lane: SystemEngine.Lane
        ) async throws {
            let world = try SystemWorld(lane: lane)
            for name in ["a", "b"] {
                let film = try await world.submit(world.download(name))
                try await world.go("it ends") { try await world.state(film) == .succeeded }
            }
            #expect(world.arrivals("GET") == 2 && world.device.network.cache.isEmpty)
            world.end()
        }

        @Test func sessionsShareNothingAndAllowSevenDays() throws {
            let world = try SystemWorld()
            let identifiers = [nil, SystemWorld.identifier, SystemWorld.identifier + ".discretionary"]
            for identifier in identifiers {
                let configuration = try #require(world.device.configuration(of: identifier))
                #expect(configuration.urlCache == nil && configuration.httpCookieStorage == nil)
                #expect(configuration.requestCachePolicy == .reloadIgnoringLocalCacheData)
                #expect(!configuration.httpShouldSetCookies && configuration.urlCredentialStorage == nil)
                #expect(configuration.timeoutIntervalForResource == 604_800)
            }
            world.end()
        }

        @Test func uploadOfTenHoursIsSentOnce() async throws {
            let world = try SystemWorld()
            world.device.changeNetwork { $0.portion = 1_000 }
            let put = try await world.submit(world.upload("PUT", 11_000))
            try await world.tasks(1)
            for _ in 0..<10 {
                world.device.step()
                world.passTogether(3_600)
            }
            try await world.go("it ends") { try await world.state(put) == .succeeded }
            #expect(world.device.network.bytesSent == 11_000)
            #expect(try await world.detail(put).snapshot.attempts == 1)
            world.end()
        }

        /// The system's limit for one task is seven days, whatever the transfer allows.
        @Test func systemLimitCostsOneMoreTask() async throws {
            let world = try SystemWorld()
            var spec = world.download()
            spec.options.timeoutIntervalForResource = .seconds(14 * 86_400)
            let film = try await world.submit(spec)
            try await world.tasks(1)
            world.device.step()
            world.passTogether(8 * 86_400)
            try await world.go("it ends") {
                world.pass(60)
                return try await world.state(film) == .succeeded
            }
            #expect(try await world.detail(film).snapshot.attempts == 2 && world.file() == SystemWorld.content)
            world.end()
        }

        @Test func foregroundUsesCellularNetworks() async throws {
            let world = try SystemWorld(lane: .front)
            world.device.changeNetwork { $0.isCellular = true }
            let (put, film) = (
                try await world.submit(world.upload("PUT", 1_000)), try await world.submit(world.download())
            )
            for id in [put, film] { try await world.go("it ends") { try await world.state(id) == .succeeded } }
            world.end()
        }

        @Test func progressCountsEachByteOnce() async throws {
            let world = try SystemWorld(lane: .front)
            world.device.changeNetwork { $0.portion = 1_000 }
            let film = try await world.submit(world.download())
            let count: () async throws -> Int64 = { try await world.detail(film).snapshot.bytesDone }
            try await world.go("bytes arrive") { try await count() > 0 }
            let received = world.device.network.bytesReceived
            try await world.wait("they are counted") { try await count() >= received }
            let counted = try await count()
            #expect(counted == received && received < 300_000)
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
