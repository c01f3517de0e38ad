import Foundation
import FoundationDouble
import LonghaulCore
import LonghaulSystem
import Synchronization
import TestSupport
import Testing

@testable import LonghaulApple

/// The fifth walkthrough: the app is killed, and every transfer is found again.
extension AppleSystems {
    @Suite struct EndingTests {
        private final class Seen: Sendable {
            let states = Mutex<[TransferState]>([])
        }

        @Test func everythingIsFoundAgainInOneCall() async throws {
            let world = try await AppWorld()
            world.configuration.rules = SessionRules(limits: SessionLimits(total: 200, perHost: 200))
            world.device.changeNetwork { $0.server = { _, _ in nil } }
            // A slow machine needs a while for this many.
            await Screen.setTime(60)
            try await world.open()
            let file = try world.photo(1_000)
            let specs = try (0..<200).map { number in
                var options = TransferOptions()
                options.key = "photo \(number)"
                return try TransferSpec.upload(
                    form: [.file(name: "photo", path: file)], to: "http://server.example/\(number)", options: options)
            }
            _ = try await world.session.submit(specs)
            try await world.leaveApp()
            try await world.wait("the system has them") { world.device.unfinished(inBackground: true) == 200 }
            await world.die()
            try await world.open()
            let list = try await world.session.snapshots()
            #expect(list.count == 200 && list.allSatisfy { $0.state == .running(.sending) })
            #expect(Set(list.map(\.url)).count == 200)
            // Each can be cancelled, and resumes.
            let first = try #require(try await world.session.transfer(key: "photo 0"))
            try await first.cancel()
            try await world.wait("one less") { world.device.unfinished() == 199 }
            world.device.changeNetwork { $0.server = { _, _ in .init(201) } }
            try await world.go("they end") {
                try await world.session.snapshots().allSatisfy { $0.state.isEnded }
            }
            #expect(world.arrivals("POST") == 199)
            await world.end()
        }

        /// `isListed`: the next process finds the task in the system's list, and then gets its end.
        @Test(arguments: [false, true]) func historyReportsForceQuit(_ isListed: Bool) async throws {
            let world = try await AppWorld()
            try await world.open()
            let film = try await world.session.download(
                from: "http://server.example/film.mp4", to: world.temporary.path, fileName: "film.mp4")
            try await world.wait("it is begun") { world.device.unfinished() == 1 }
            try await world.leaveApp()
            world.device.step()
            await world.die { $0.forceQuit(listsTasks: isListed) }
            for _ in 0..<3 { world.device.step() }
            #expect(world.device.launches.isEmpty)
            try await world.open()
            let found = try await world.session.transfer(film.id)
            try await world.go("it ends") { try await found.snapshot().state == .succeeded }
            let history = try await found.history()
            #expect(history.contains { $0.detail.contains("the user force-quit the app") })
            #expect(world.device.network.bytesReceived == Int64(SystemWorld.content.count))
            await world.end()
        }

        @Test func beforeTheFirstUnlockingTheAppWaitsForItsFiles() async throws {
            let world = try await AppWorld()
            try await world.open()
            try await world.session.download(from: "http://server.example/film.mp4", to: world.temporary.path)
            try await world.wait("it is begun") { world.device.unfinished() == 1 }
            try await world.leaveApp()
            await world.die()
            // The existing directory cannot be read.
            let home = try #require(world.options.directory)
            try FileManager.default.moveItem(atPath: home, toPath: home + ".closed")
            try Data().write(to: URL(fileURLWithPath: home))
            await Screen.setUnlocked(false)
            try await world.go("launched") { world.device.launches.count == 1 }
            #expect(world.device.openHandlers == 1)
            try FileManager.default.removeItem(atPath: home)
            try FileManager.default.moveItem(atPath: home + ".closed", toPath: home)
            await Screen.setUnlocked(true)
            try await world.goUntilLaunched()
            #expect(try await world.session.snapshots().map(\.state) == [.succeeded])
            await world.end()
        }

        @Test func aSessionInAnAppGroupIsNotHeldByAnAppThatStandsStill() async throws {
            let world = try await AppWorld()
            world.options.appGroup = "group.org.example"
            let seen = Seen()
            world.options.onEvents = { session in
                let list = try? await session.snapshots()
                seen.states.withLock { $0 = list?.map(\.state) ?? [] }
            }
            try await world.open()
            try await world.session.upload(file: try world.photo(400_000), to: "http://server.example/a")
            try await world.wait("it is begun") { world.device.unfinished() == 1 }
            let home = try #require(world.options.directory)
            let layout = SessionLayout(stateDirectory: home, session: try #require(SessionID(AppWorld.name)))
            let lock = layout.lock
            let isLocked: @Sendable () -> Bool = { Self.isLocked(lock) }
            #expect(isLocked())
            world.device.whenAskedForLocks { isLocked() ? [lock] : [] }
            try await world.leaveApp()
            #expect(world.device.faults.isEmpty)
            #expect(world.process?.app.carrier.runtime == nil && world.device.unfinished(inBackground: true) == 1)
            // The same process is woken, and releases the session before it calls the completion handler.
            try await world.goUntilLaunched()
            #expect(world.process?.app.carrier.runtime == nil && seen.states.withLock { $0 } == [.succeeded])
            try await world.open()
            #expect(try await world.session.snapshots().map(\.state) == [.succeeded])
            #expect(world.process?.app.carrier.runtime != nil)
            await world.end()
        }

        /// Returns whether a process holds the lock of that file.
        private static func isLocked(_ path: String) -> Bool {
            (try? Descriptor(opening: path, .both).isLockedElsewhere()) ?? false
        }

        @Test func filesAreProtectedAndExcludedFromBackup() async throws {
            let world = try await AppWorld()
            try await world.open()
            let home = try #require(world.options.directory)
            let session = home + "/sessions/" + AppWorld.name
            #expect(
                world.guarded.closed.withLock { $0 } == [home, session, session + "/exchanges", session + "/staged"])
            #expect(world.guarded.leftOut.withLock { $0 } == [session + "/exchanges", session + "/staged"])
            // The system's own calls, which do nothing here.
            FileGuarding.real.protect(home)
            FileGuarding.real.excludeFromBackup(home)
            await world.end()
        }

        /// A file of another protection cannot be read when the system starts the app while the device is locked.
        @Test func filesAreReadableAfterTheFirstUnlock() {
            let protections = Mutex<[String]>([])
            let exclusions = Mutex<[String]>([])
            let guarding = FileGuarding { attributes, path in
                let protection = attributes[.protectionKey] as? FileProtectionType
                protections.withLock { $0.append("\(path): \(protection?.rawValue ?? "none")") }
            } setResourceValues: { values, url in
                exclusions.withLock { $0.append("\(url.path): \(values.isExcludedFromBackup == true)") }
            }
            guarding.protect("/a")
            guarding.excludeFromBackup("/b")
            let wanted = FileProtectionType.completeUntilFirstUserAuthentication.rawValue
            #expect(protections.withLock { $0 } == ["/a: \(wanted)"] && exclusions.withLock { $0 } == ["/b: true"])
        }
    }
}
