import Foundation
import FoundationDouble
import LonghaulCore
import TestSupport
import Testing

@testable import Longhaul

/// An app leaves: its active transfers go to the system, through the calls that apps use.
extension AppleSystems {
    @Suite struct LaneTests {
        private static let size = 400_000

        /// More than the session's limits allow at once, and transfers that wait for a start time or for Wi-Fi: one batch, and one launch
        /// for all.
        @Test func waitingTransfersMoveInOneBatch() async throws {
            let world = try LaneWorld()
            let session = try await world.open()
            try await session.setLimits(SessionLimits(total: 2))
            world.device.changeNetwork { $0.isOnline = false }
            world.system.useModem(true)
            var uploads: [Transfer] = []
            for number in 0..<12 {
                var options = TransferOptions()
                if number == 10 { options.conditions.allowsExpensiveNetworkAccess = false }
                if number == 11 { options.earliestBeginDate = WallTime(seconds: 1_800_000_000 + 3_600) }
                uploads.append(
                    try await session.upload(
                        file: Self.file(in: world, number), to: "http://server.example/\(number)", options: options))
            }
            try await world.system.tasks(2)
            await world.enterBackground()
            #expect(world.device.unfinished(inBackground: true) == 12 && world.device.unfinished() == 12)

            // In the foreground, transfers that the system cannot start yet hold no slot.
            await world.comeBack()
            try await world.system.wait("it waits here again") {
                [try await uploads[10].snapshot().state, try await uploads[11].snapshot().state].allSatisfy {
                    if case .waiting(let waiting) = $0 {
                        [.metered, .notBefore].contains(waiting.reason)
                    } else {
                        false
                    }
                }
            }
            await world.enterBackground()
            await world.die()
            world.device.changeNetwork { ($0.isOnline, $0.portion) = (true, 1 << 20) }
            // Tasks created in the background are discretionary: none is transferred over the modem.
            world.device.step()
            #expect(world.device.unfinished() == 12)
            world.system.useModem(false)
            world.device.step()
            #expect(world.device.unfinished() == 1 && world.device.launches.isEmpty)
            world.system.passTogether(3_600)
            try await world.system.go("launched once") {
                world.device.launches.count == 1 && world.device.openHandlers == 0
            }
            for upload in uploads { #expect(try await world.system.state(upload.id) == .succeeded) }
            #expect(world.arrivals.count == 12 && Set(world.arrivals).count == 12)
            await world.end()
        }

        @Test func nearlyFinishedUploadEndsInForeground() async throws {
            let world = try LaneWorld()
            let session = try await world.open()
            let upload = try await session.upload(file: Self.file(in: world), to: "http://server.example/a")
            try await world.system.tasks(1)
            for _ in 0..<3 {
                world.device.step()
                world.system.passTogether(1)
                _ = try await upload.snapshot()
            }
            async let left = world.enterBackground()
            try await world.system.go("it ends here") { try await upload.snapshot().state == .succeeded }
            let report = await left
            #expect(report?.actions[upload.id] == .finishHere)
            #expect(world.device.network.bytesSent == Int64(Self.size) && world.arrivals == ["/a"])
            await world.end()
        }

        /// The system restarts the part with its old offset, which the server refuses.
        @Test func restartedTusPartContinuesAtTheOffset() async throws {
            let world = try LaneWorld()
            let server = UploadServer()
            server.answerNow()
            world.device.changeNetwork { network in
                network.server = { server.answer($0, $1) }
                network.cutOff = { server.keep($0, $1) }
                network.portion = 0
            }
            let session = try await world.open()
            let upload = try await session.uploadResumably(
                file: Self.file(in: world), to: "http://server.example/files")
            try await world.system.go("its body is on its way") {
                try await world.system.state(upload.id) == .running(.sending) && world.device.unfinished() == 1
            }
            async let left = world.enterBackground()
            try await world.system.go("the system has it") { world.device.unfinished(inBackground: true) == 1 }
            _ = await left
            world.device.changeNetwork { $0.portion = 100_000 }
            try await world.system.go("a portion is sent") { world.device.network.bytesSent > 0 }
            world.device.breakConnections()
            world.device.changeNetwork { $0.portion = 1 << 20 }
            try await world.system.go("it ends") {
                world.system.pass(1)
                return try await world.system.state(upload.id) == .succeeded
            }
            #expect(server.isWhole)
            #expect(world.device.network.requests.suffix(3).map(\.request.httpMethod) == ["PATCH", "HEAD", "PATCH"])
            await world.end()
        }

        private static func file(in world: LaneWorld, _ number: Int = 0) throws -> String {
            let path = world.system.temporary.path("photo-\(number)")
            try Data((0..<size).map { UInt8(truncatingIfNeeded: $0 &* 31) }).write(to: URL(fileURLWithPath: path))
            return path
        }
    }
}

extension LaneWorld {
    var arrivals: [String] { device.network.requests.compactMap { $0.request.url?.path } }
}
