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
            let photo = try await Self.lockedUpload(in: world)
            if isRelaunched {
                await world.die { $0.forceQuit() }
                try await world.open()
                try await world.go("it waits again") { try await Self.waits(world.session.transfer(photo.id)) }
            }
            let found = try await world.session.transfer(photo.id)
            let nextTry = try await Self.nextTry(of: found)
            world.device.lock(false)
            await Screen.setUnlocked(true)
            try await world.wait("it is begun") { world.device.unfinished() == 1 }
            // Without the unlocking, it would be 15 to 30 seconds after the last one.
            #expect(SystemClock.wallTime() < nextTry)
            try await world.go("it ends") { try await found.snapshot().state == .succeeded }
            await world.end()
        }

        /// No process hears of the unlocking.
        @Test func unlockingBeforeTheLaunchEndsTheWait() async throws {
            let world = try await AppWorld()
            try await world.open()
            let photo = try await Self.lockedUpload(in: world)
            let nextTry = try await Self.nextTry(of: photo)
            await world.die { $0.forceQuit() }
            world.device.lock(false)
            await Screen.setUnlocked(true)
            try await world.open()
            try await world.wait("it is begun") { world.device.unfinished() == 1 }
            #expect(SystemClock.wallTime() < nextTry)
            await world.end()
        }

        /// Locks the device, and returns an upload that waits until it is unlocked.
        private static func lockedUpload(in world: AppWorld) async throws -> Transfer {
            let photo = try await world.session.upload(file: world.photo(100_000), to: "http://server.example/a")
            let staged = try #require(world.options.directory) + "/sessions/" + AppWorld.name + "/staged/"
            let copies = try FileManager.default.contentsOfDirectory(atPath: staged).map { staged + $0 }
            try #require(copies.count == 1)
            await Screen.setUnlocked(false)
            world.device.lock(true, closing: copies)
            try await world.go("it waits") { try await waits(photo) }
            return photo
        }

        private static func nextTry(of transfer: Transfer) async throws -> WallTime {
            guard case .waiting(let waiting) = try await transfer.snapshot().state else { throw Unexpected() }
            return try #require(waiting.until)
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
