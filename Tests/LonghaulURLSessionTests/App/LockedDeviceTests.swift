import Foundation
import FoundationDouble
import LonghaulApple
import LonghaulCore
import LonghaulSystem
import TestSupport
import Testing

/// Files that the device closes while it is locked.
extension AppleSystems {
    @Suite struct LockedDeviceTests {
        /// `isRelaunched`: the user force-quits the app, and opens it before the unlocking.
        @Test(arguments: [false, true]) func unlockedDeviceContinuesAfterAForceQuit(_ isRelaunched: Bool) async throws {
            let world = try await AppWorld()
            try await world.open()
            let photo = try await world.session.upload(file: world.photo(100_000), to: "http://server.example/a")
            let staged = try #require(world.options.directory) + "/sessions/" + AppWorld.name + "/staged/"
            let copies = try FileManager.default.contentsOfDirectory(atPath: staged).map { staged + $0 }
            try #require(copies.count == 1)
            await Screen.setUnlocked(false)
            world.device.lock(true, closing: copies)
            try await world.go("it waits") { try await Self.waits(photo) }
            if isRelaunched {
                await world.die { $0.forceQuit() }
                try await world.open()
                try await world.go("it waits again") { try await Self.waits(world.session.transfer(photo.id)) }
            }
            let found = try await world.session.transfer(photo.id)
            guard case .waiting(let waiting) = try await found.snapshot().state else { throw Unexpected() }
            let nextTry = try #require(waiting.until)
            world.device.lock(false)
            await Screen.setUnlocked(true)
            try await world.wait("it is begun") { world.device.unfinished() == 1 }
            // Without the unlocking, it would be 15 to 30 seconds after the last one.
            #expect(SystemClock.wallTime() < nextTry)
            try await world.go("it ends") { try await found.snapshot().state == .succeeded }
            await world.end()
        }

        private static func waits(_ transfer: Transfer) async throws -> Bool {
            if case .waiting(let waiting) = try await transfer.snapshot().state {
                waiting.reason == .unlock
            } else {
                false
            }
        }
    }
}
