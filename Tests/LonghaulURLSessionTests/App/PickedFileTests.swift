import Foundation
import FoundationDouble
import LonghaulApple
import LonghaulCore
import LonghaulFoundation
import LonghaulSystem
import Synchronization
import TestSupport
import Testing

/// Files that the app may read only for a moment: the session keeps copies of them.
extension AppleSystems {
    @Suite struct PickedFileTests {
        enum Kind: CaseIterable { case raw, form, tus }

        private static let url = "http://server.example/photos"

        private static func upload(_ file: String, _ kind: Kind, _ session: TransferSession) async throws -> Transfer {
            switch kind {
            case .raw: try await session.upload(file: file, to: url, key: "photo")
            case .form: try await session.upload(form: [.file(name: "photo", path: file)], to: url, key: "photo")
            case .tus: try await session.uploadResumably(file: file, to: url, key: "photo")
            }
        }

        /// Returns the names of the session's copies.
        private static func copies(_ world: AppWorld) throws -> [String] {
            let directory = try #require(world.options.directory) + "/sessions/" + AppWorld.name + "/staged"
            return try FileManager.default.contentsOfDirectory(atPath: directory)
        }

        /// A server of tus and of plain uploads.
        private static let server: SimulatedNetwork.Server = { request, body in
            switch request.httpMethod {
            case "OPTIONS": .init(204, ["Tus-Version": "1.0.0", "Tus-Extension": "creation"])
            case "POST" where request.value(forHTTPHeaderField: "Tus-Resumable") != nil:
                .init(201, ["Location": "/uploads/1", "Tus-Resumable": "1.0.0"])
            case "HEAD": .init(200, ["Upload-Offset": "0", "Tus-Resumable": "1.0.0"])
            case "PATCH": .init(204, ["Upload-Offset": "\(body.count)", "Tus-Resumable": "1.0.0"])
            default: .init(201)
            }
        }

        /// A picker deletes its file when its callback returns.
        @Test(arguments: Kind.allCases) func vanishedFileIsDelivered(_ kind: Kind) async throws {
            let world = try await AppWorld()
            world.device.changeNetwork { $0.server = Self.server }
            try await world.open()
            let file = try world.photo(300_000)
            let content = try #require(FileManager.default.contents(atPath: file))
            let photo = try await Self.upload(file, kind, world.session)
            try FileManager.default.removeItem(atPath: file)
            #expect(try await photo.snapshot().name == "photo-300000.jpg")
            #expect(try await photo.snapshot().path == file)
            try await world.go("it has begun") { world.device.network.bytesSent > 0 }
            try await world.leaveApp()
            await world.die()
            try await world.open()
            let found = try #require(try await world.session.transfer(key: "photo"))
            try await world.go("it ends") { try await found.snapshot().state.isEnded }
            #expect(try await found.snapshot().state == .succeeded)
            let body = try #require(world.device.network.requests.map(\.body).max { $0.count < $1.count })
            #expect(body.range(of: content) != nil)
            if kind == .form { #expect(body.range(of: Data(#"filename="photo-300000.jpg""#.utf8)) != nil) }
            try await world.wait("the copy is deleted") { try Self.copies(world).isEmpty }
            await world.end()
        }

        /// Access to a document from another app's container ends after the call.
        @Test(arguments: [true, false]) func securityScopedFileIsDelivered(_ isResumable: Bool) async throws {
            let world = try await AppWorld()
            world.device.changeNetwork { $0.server = Self.server }
            try await world.open()
            let hidden = try world.photo(100_000)
            let document = URL(fileURLWithPath: world.temporary.path("document.jpg"))
            let calls = Mutex<[String]>([])
            let scopes = SecurityScopes { url in
                calls.withLock { $0.append("start") }
                return (try? FileManager.default.moveItem(atPath: hidden, toPath: url.path)) != nil
            } stop: { url in
                calls.withLock { $0.append("stop") }
                try? FileManager.default.moveItem(atPath: url.path, toPath: hidden)
            }
            let session = try await world.session
            let server = try #require(URL(string: Self.url))
            let upload = try await SecurityScopes.$simulated.withValue(scopes) {
                isResumable
                    ? try await session.uploadResumably(file: document, to: server)
                    : try await session.upload(file: document, to: server)
            }
            #expect(calls.withLock { $0 } == ["start", "stop"])
            #expect(!FileManager.default.fileExists(atPath: document.path))
            try await world.go("it ends") { try await upload.snapshot().state.isEnded }
            #expect(try await upload.snapshot().state == .succeeded)
            let body = try #require(world.device.network.requests.map(\.body).max { $0.count < $1.count })
            #expect(body == FileManager.default.contents(atPath: hidden))
            await world.end()
        }

        @Test func refusedFileEndsItsAccess() async throws {
            let world = try await AppWorld()
            try await world.open()
            let stops = Mutex(0)
            let scopes = SecurityScopes(start: { _ in true }, stop: { _ in stops.withLock { $0 += 1 } })
            let session = try await world.session
            let server = try #require(URL(string: Self.url))
            let missing = URL(fileURLWithPath: world.temporary.path("none"))
            let failure = await #expect(throws: TransferFailure.self) {
                try await SecurityScopes.$simulated.withValue(scopes) {
                    try await session.upload(file: missing, to: server)
                }
            }
            #expect(failure?.code == .sourceMissing && stops.withLock { $0 } == 1)
            await world.end()
        }

        @Test func batchOfFormsKeepsItsCopies() async throws {
            let world = try await AppWorld()
            try await world.open()
            world.device.changeNetwork { $0.isOnline = false }
            let files = try (1...70).map { try world.photo(1_000 + $0) }
            var specs = try files.map { try TransferSpec.upload(form: [.file(name: "a", path: $0)], to: Self.url) }
            // The file changes between the description and the submission.
            try Data(count: 7).write(to: URL(fileURLWithPath: files[3]))
            specs[5].url = "ftp://server.example/"
            let results = try await world.session.submit(specs)
            let codes = results.map { result -> FailureCode? in
                if case .failure(let failure) = result { failure.code } else { nil }
            }
            #expect(codes.enumerated().filter { $0.element != nil }.map(\.offset) == [3, 5])
            #expect(codes[3] == .sourceChanged)
            for file in files { try FileManager.default.removeItem(atPath: file) }
            #expect(try Self.copies(world).count == 68)
            world.device.changeNetwork { $0.isOnline = true }
            try await world.go("they end") { try Self.copies(world).isEmpty }
            #expect(world.arrivals("POST") == 68)
            await world.end()
        }

        @Test func repeatedCallKeepsOneCopy() async throws {
            let world = try await AppWorld()
            try await world.open()
            world.device.changeNetwork { $0.isOnline = false }
            let file = try world.photo(1_000)
            let first = try await Self.upload(file, .raw, world.session)
            #expect(try await Self.upload(file, .raw, world.session).id == first.id)
            #expect(try Self.copies(world).count == 1)
            // Another version of the file is another request.
            try Data(count: 1_000).write(to: URL(fileURLWithPath: file))
            let failure = await #expect(throws: TransferFailure.self) {
                try await Self.upload(file, .raw, world.session)
            }
            #expect(failure?.code == .keyTaken && failure?.summary.contains("version of its file") == true)
            #expect(try Self.copies(world).count == 1)
            try await first.cancel()
            try await world.wait("the copy is deleted") { try Self.copies(world).isEmpty }
            await world.end()
        }

        /// The process dies when it has made the copy and not stored the transfer.
        @Test func orphanedCopyIsDeletedAtTheNextOpening() async throws {
            let world = try await AppWorld()
            try await world.open()
            await world.die()
            let layout = SessionLayout(
                stateDirectory: try #require(world.options.directory), session: try #require(SessionID(AppWorld.name)))
            _ = try StagedFile(copyOf: SourceFile.inspect(path: world.photo(1_000)), in: layout) { _ in }
            #expect(try Self.copies(world).count == 1)
            try await world.open()
            try await world.wait("the copy is deleted") { try Self.copies(world).isEmpty }
            await world.end()
        }

        @Test(.enabled(if: SmallVolume.missing == nil)) func copyWithoutSpaceIsRefused() async throws {
            let world = try await AppWorld()
            let volume = try SmallVolume(.tmpfs, in: world.temporary, "small", bytes: 1 << 20)
            world.options.directory = volume.path + "/Longhaul"
            try await world.open()
            let file = try world.photo(2 << 20)
            let failure = await #expect(throws: TransferFailure.self) {
                try await Self.upload(file, .raw, world.session)
            }
            #expect(failure?.code == .diskFull)
            #expect(try Self.copies(world).isEmpty)
            await world.end()
        }
    }
}
