import Foundation
import FoundationDouble
import LonghaulApple
import LonghaulCore
import TestSupport
import Testing

/// An update of the app moves its container while transfers are unfinished.
extension AppleSystems {
    @Suite struct MovedContainerTests {
        private static let names = ["1F3B7C2A-0000-4000-8000-000000000001", "1F3B7C2A-0000-4000-8000-00000000000F"]

        /// An app in its first container.
        private static func world() async throws -> AppWorld {
            let world = try await AppWorld()
            use(0, in: world)
            try FileManager.default.createDirectory(
                atPath: world.home + "/Documents", withIntermediateDirectories: true)
            return world
        }

        private static func use(_ container: Int, in world: AppWorld) {
            world.home = world.temporary.path(names[container])
            world.options.directory = world.home + "/Library/Application Support/Longhaul"
        }

        private static func update(_ world: AppWorld, tasksFollow: Bool = true) async throws {
            await world.die()
            let old = world.home
            use(1, in: world)
            try world.device.moveContainer(from: old, to: world.home, tasksFollow: tasksFollow)
        }

        private static func photo(_ count: Int, _ world: AppWorld) throws -> String {
            let file = world.home + "/Documents/photo-\(count).jpg"
            try Data((0..<count).map { UInt8(truncatingIfNeeded: $0 &* 31) }).write(to: URL(fileURLWithPath: file))
            return file
        }

        /// Returns the content of the files that the session stores, by path.
        private static func stored(_ world: AppWorld) throws -> [String: Data] {
            let directory = world.home + "/Library"
            let paths = try FileManager.default.subpathsOfDirectory(atPath: directory).map { "\(directory)/\($0)" }
            return paths.reduce(into: [:]) { $0[$1] = FileManager.default.contents(atPath: $1) }
        }

        @Test(arguments: [true, false]) func exchangesOfTheSystemFinish(_ tasksFollow: Bool) async throws {
            let world = try await Self.world()
            world.device.changeNetwork { $0.isOnline = false }
            try await world.open()
            let session = try await world.session
            let url = "http://server.example/photos"
            try await session.upload(file: Self.photo(200_000, world), to: url, key: "file")
            try await session.upload(data: [UInt8](repeating: 7, count: 100_000), to: url, key: "data")
            try await session.upload(
                form: [.file(name: "photo", path: Self.photo(300_000, world))], to: url, key: "form")
            try await session.download(
                from: "http://server.example/film.mp4", to: world.home + "/Documents", fileName: "film.mp4", key: "film"
            )
            try await world.leaveApp()
            #expect(world.device.unfinished(inBackground: true) == 4)
            try await Self.update(world, tasksFollow: tasksFollow)
            world.device.changeNetwork { $0.isOnline = true }
            try await world.open()
            for key in ["file", "data", "form", "film"] {
                let transfer = try #require(try await world.session.transfer(key: key))
                try await world.go("\(key) ends") { try await transfer.snapshot().state.isEnded }
                let state = try await transfer.snapshot().state
                // The system does not report whether it sent the form before it lost the file.
                guard key == "form", !tasksFollow else {
                    #expect(state == .succeeded, "\(key)")
                    continue
                }
                guard case .failed(let failure) = state else { throw Unexpected() }
                #expect(failure.code == .outcomeUnknown)
            }
            #expect(FileManager.default.contents(atPath: world.home + "/Documents/film.mp4") == SystemWorld.content)
            #expect(world.arrivals("PUT") == 2 && world.arrivals("POST") == (tasksFollow ? 1 : 0))
            await world.end()
        }

        @Test func partialFileIsContinued() async throws {
            let world = try await Self.world()
            try await world.open()
            let film = try await world.session.download(
                from: "http://server.example/film.mp4", to: world.home + "/Documents", fileName: "film.mp4")
            try await world.wait("it is begun") { world.device.unfinished() == 1 }
            for _ in 0..<2 { world.device.step() }
            try await film.pause()
            try await world.wait("the bytes are on the disk") {
                let kept = try FileManager.default.subpathsOfDirectory(atPath: world.home)
                return kept.contains { $0.hasSuffix(".token") || $0.hasPrefix("Documents/.") }
            }
            try await Self.update(world)
            try await world.open()
            let found = try await world.session.transfer(film.id)
            try await found.resume()
            try await world.go("it ends") { try await found.snapshot().state == .succeeded }
            #expect(try await found.snapshot().path == world.home + "/Documents/film.mp4")
            #expect(FileManager.default.contents(atPath: world.home + "/Documents/film.mp4") == SystemWorld.content)
            #expect(world.device.network.bytesReceived < 400_000)
            await world.end()
        }

        @Test func failureNamesThePresentPath() async throws {
            let world = try await Self.world()
            try await world.open()
            world.device.changeNetwork { $0.isOnline = false }
            let photo = try await world.session.upload(file: Self.photo(1_000, world), to: "http://server.example/a")
            try await photo.pause()
            for path in try Self.stored(world).keys where path.contains("/staged/") {
                try FileManager.default.removeItem(atPath: path)
            }
            try await photo.resume()
            try await world.wait("it fails") { try await photo.snapshot().state.isEnded }
            try await Self.update(world)
            try await world.open()
            let found = try await world.session.transfer(photo.id)
            guard case .failed(let failure) = try await found.snapshot().state else { throw Unexpected() }
            #expect(failure.code == .sourceMissing)
            #expect(failure.summary.contains(world.home + "/Library/"))
            let details = try await found.history().map(\.detail)
            #expect(details.contains { $0.contains(world.home) } && !details.contains { $0.contains(Self.names[0]) })
            await world.end()
        }

        @Test func noStoredFileNamesTheContainer() async throws {
            let world = try await Self.world()
            world.device.changeNetwork { $0.isOnline = false }
            try await world.open()
            let session = try await world.session
            try await session.upload(file: Self.photo(1_000, world), to: "http://server.example/a")
            try await session.upload(
                form: [.file(name: "a", path: Self.photo(2_000, world))], to: "http://server.example/a")
            try await session.download(from: "http://server.example/film.mp4", to: world.home + "/Documents")
            try await world.leaveApp()
            let files = try Self.stored(world)
            #expect(files.keys.contains { $0.hasSuffix("store.sqlite") })
            #expect(files.keys.contains { $0.hasSuffix(".note") })
            for (path, content) in files {
                #expect(content.range(of: Data(Self.names[0].utf8)) == nil, "\(path)")
            }
            await world.end()
        }

        /// A session of a version that stored absolute paths.
        @Test func formerAbsolutePathsAreFound() async throws {
            let world = try await Self.world()
            let home = world.home
            world.home = "/nowhere"
            try await world.open()
            world.device.changeNetwork { $0.isOnline = false }
            world.home = home
            let photo = try await world.session.upload(file: Self.photo(1_000, world), to: "http://server.example/a")
            try await photo.pause()
            try #require(try Self.stored(world).values.contains { $0.range(of: Data(home.utf8)) != nil })
            try await Self.update(world)
            world.device.changeNetwork { $0.isOnline = true }
            try await world.open()
            let found = try await world.session.transfer(photo.id)
            try await found.resume()
            try await world.go("it ends") { try await found.snapshot().state == .succeeded }
            await world.end()
        }
    }
}
