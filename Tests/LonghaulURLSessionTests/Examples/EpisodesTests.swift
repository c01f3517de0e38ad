import Foundation
import FoundationDouble
@testable import Longhaul
import LonghaulCore
import Network
import Synchronization
import Testing

@testable import EpisodesExample

/// The app that keeps episodes for later.
extension AppleSystems {
    @Suite struct EpisodesTests {
        private static let titles = Episode.all.map(\.title)

        /// Redirects the URLs of the catalog to the URLs of the files.
        private final class Studio: Sendable {
            private let state = Mutex<(version: UInt8, failures: [SimulatedNetwork.Answer])>((1, []))

            static func episode(_ version: UInt8) -> Data { Data(repeating: version, count: 400_000) }
            func publish(_ version: UInt8) { state.withLock { $0.version = version } }
            func fail(with answers: SimulatedNetwork.Answer...) { state.withLock { $0.failures = answers } }

            func answer(_ request: URLRequest) -> SimulatedNetwork.Answer? {
                guard request.url?.host == "files.example.org" else {
                    return .init(302, ["Location": "https://files.example.org\(request.url?.path ?? "")"])
                }
                return state.withLock { state in
                    if !state.failures.isEmpty { return state.failures.removeFirst() }
                    let tag = "\"\(state.version)\""
                    let content = Self.episode(state.version)
                    var headers = ["ETag": tag, "Accept-Ranges": "bytes"]
                    let known = request.value(forHTTPHeaderField: "If-Match")
                    if let known, known != tag { return .init(412, headers) }
                    let first = request.value(forHTTPHeaderField: "Range").flatMap { range in
                        Int(range.dropFirst("bytes=".count).prefix { $0 != "-" })
                    }
                    guard let first, request.value(forHTTPHeaderField: "If-Range") == tag else {
                        return .init(200, headers, content)
                    }
                    headers["Content-Range"] = "bytes \(first)-\(content.count - 1)/\(content.count)"
                    return .init(206, headers, content.dropFirst(first))
                }
            }
        }

        private static func phone(_ studio: Studio) async throws -> Phone {
            UserDefaults.standard.removeObject(forKey: "usesCellular")
            let phone = try await Phone(EpisodesApp.self)
            phone.world.device.changeNetwork { $0.server = { request, _ in studio.answer(request) } }
            return phone
        }

        private static func useCellular(_ isUsed: Bool, _ phone: Phone) {
            phone.world.device.changeNetwork { ($0.isCellular, $0.isExpensive) = (isUsed, isUsed) }
            NWPathMonitor.change(to: NWPath(.satisfied, isUsed ? .cellular : .wifi, isExpensive: isUsed))
        }

        /// The text below the title of an episode.
        private static func status(_ title: String, _ phone: Phone) async -> String {
            let texts = await phone.texts
            return texts.firstIndex(of: title).flatMap { texts.dropFirst($0 + 1).first } ?? ""
        }

        private static func go(_ phone: Phone, _ title: String, _ status: String) async throws {
            try await phone.go("\(title): \(status)") { await Self.status(title, phone).hasPrefix(status) }
        }

        private static func wait(_ phone: Phone, _ title: String, _ status: String) async throws {
            try await phone.wait("\(title): \(status)") { await Self.status(title, phone).hasPrefix(status) }
        }

        /// Advances the device until a part of the only unfinished download has arrived.
        private static func receivePart(_ phone: Phone) async throws {
            try await phone.go("a part has arrived") { phone.world.device.network.bytesReceived > 100_000 }
            try await phone.wait("the user sees it") { await phone.progress.contains { ($0 ?? 0) > 0 } }
        }

        private static func running(_ phone: Phone) async -> [String] {
            var found: [String] = []
            for title in titles where ["Preparing.", "Receiving."].contains(await status(title, phone)) {
                found.append(title)
            }
            return found
        }

        private static func waitForTurns(_ running: [String], _ waiting: Int, _ phone: Phone) async throws {
            try await phone.wait("\(running) run, and \(waiting) wait") {
                let waits = await phone.texts.count { $0 == "Waiting for other transfers to finish." }
                return await Self.running(phone) == running && waits == waiting
            }
        }

        private static func file(_ id: String, _ phone: Phone) -> String {
            "\(phone.world.home)/Library/Application Support/Episodes/\(id).mp4"
        }

        private static func content(_ id: String, _ phone: Phone) -> Data? {
            FileManager.default.contents(atPath: file(id, phone))
        }

        @Test func queueHonorsItsLimits() async throws {
            let phone = try await Self.phone(Studio())
            try await phone.open()
            try await phone.tap("Download All")
            // Two for a host, three in total.
            try await Self.waitForTurns(["Generics", "Macros", "Studio"], 3, phone)
            try await phone.tap("Cancel", beside: "Generics")
            try await phone.tap("Cancel", beside: "Macros")
            // The next in turn is Crew, but its group has one already.
            try await Self.waitForTurns(["Actors", "Studio", "Concert"], 1, phone)
            #expect(await Self.status("Generics", phone) == "Cancelled.")
            try await phone.tap("Retry", beside: "Generics")
            try await phone.tap("Retry", beside: "Macros")
            for title in Self.titles { try await Self.go(phone, title, "Succeeded.") }
            #expect(await phone.progress.isEmpty)
            #expect(Episode.all.allSatisfy { Self.content($0.id, phone) == Studio.episode(1) })
            await phone.end()
        }

        @Test func userChoosesWhatComesNext() async throws {
            let phone = try await Self.phone(Studio())
            try await phone.open()
            try await phone.tap("Download All")
            try await Self.waitForTurns(["Generics", "Macros", "Studio"], 3, phone)
            // An episode that the user picks precedes the rest.
            try await phone.tap("Cancel", beside: "Concert")
            try await phone.tap("Delete", beside: "Concert")
            try await phone.tap("Download", beside: "Concert")
            try await Self.waitForTurns(["Generics", "Macros", "Studio"], 3, phone)
            try await phone.tap("Cancel", beside: "Studio")
            try await Self.waitForTurns(["Generics", "Macros", "Concert"], 2, phone)
            // An episode that the user waits for precedes all.
            try await phone.tap("Watch Next", beside: "Crew")
            try await phone.wait("the user waits for it") {
                let session = try await phone.world.session
                guard let crew = try await session.transfer(key: "crew") else { return false }
                return try await session.backend.show(crew.id).options.isAttended
            }
            try await phone.tap("Cancel", beside: "Generics")
            try await Self.waitForTurns(["Macros", "Crew", "Concert"], 1, phone)
            await phone.end()
        }

        @Test func downloadsFindTheirEpisodesAfterARelaunch() async throws {
            let phone = try await Self.phone(Studio())
            try await phone.open()
            // Both have the same URL.
            try await phone.tap("Download", beside: "Crew")
            try await phone.tap("Download", beside: "Concert")
            try await phone.wait("both have started") { phone.world.device.unfinished() == 2 }
            phone.world.device.changeNetwork { $0.portion = 256 }
            try await phone.leave(handingOver: 2)
            #expect(phone.world.notifications == [])
            await phone.kill()
            phone.world.device.changeNetwork { $0.portion = 64 << 10 }
            try await phone.world.goUntilLaunched()
            #expect(phone.world.notifications == ["2 transfers finished"])
            // The app has no window, and has been started only for these.
            #expect(Self.content("crew", phone) == Studio.episode(1))
            #expect(Self.content("concert", phone) == Studio.episode(1))
            await phone.kill()
            try await phone.tapNotification("2 transfers finished")
            try await Self.wait(phone, "Crew", "Succeeded.")
            try await Self.wait(phone, "Concert", "Succeeded.")
            try await phone.shows("Storage used: 800 kB")
            try await phone.tap("Delete", beside: "Crew")
            try await phone.shows("Storage used: 400 kB")
            await phone.end()
        }

        @Test func downloadThatTheSystemHasLostContinues() async throws {
            let phone = try await Self.phone(Studio())
            try await phone.open()
            try await phone.tap("Download", beside: "Actors")
            try await phone.wait("it has started") { phone.world.device.unfinished() == 1 }
            phone.world.device.changeNetwork { $0.portion = 256 }
            try await phone.leave(handingOver: 1)
            await phone.kill()
            phone.world.device.changeNetwork { $0.portion = 64 << 10 }
            phone.world.device.loseTasks()
            try await phone.open()
            try await Self.go(phone, "Actors", "Succeeded.")
            #expect(Self.content("talk-3", phone) == Studio.episode(1))
            await phone.end()
        }

        @Test(arguments: [1, 2]) func resumedDownloadHasOneVersion(_ version: UInt8) async throws {
            let studio = Studio()
            let phone = try await Self.phone(studio)
            try await phone.open()
            try await phone.tap("Download", beside: "Macros")
            try await Self.receivePart(phone)
            let (texts, buttons) = await (phone.texts, phone.buttons)
            #expect(texts.contains("Storage used: Zero kB") && !buttons.contains("Resume"))
            try await phone.tap("Pause", beside: "Macros")
            try await Self.wait(phone, "Macros", "Paused.")
            #expect(await phone.buttons.contains("Pause") == false)
            await phone.kill()
            studio.publish(version)
            try await phone.open()
            try await phone.tap("Resume", beside: "Macros")
            try await Self.go(phone, "Macros", "Succeeded.")
            #expect(Self.content("talk-2", phone) == Studio.episode(version))
            // The first version is not received again.
            #expect((phone.world.device.network.bytesReceived < 500_000) == (version == 1))
            await phone.end()
        }

        @Test func failedDownloadIsRetried() async throws {
            let studio = Studio()
            let phone = try await Self.phone(studio)
            studio.fail(with: .init(503, ["Retry-After": "1"]), .init(404))
            try await phone.open()
            try await phone.tap("Download", beside: "Studio")
            try await Self.go(phone, "Studio", "Waiting because the server is busy.")
            // Automatically.
            try await Self.go(phone, "Studio", "Failed: ")
            try await phone.tap("Retry", beside: "Studio")
            try await Self.go(phone, "Studio", "Succeeded.")
            #expect(await phone.buttons.contains("Retry") == false)
            #expect(Self.content("studio", phone) == Studio.episode(1))
            await phone.end()
        }

        @Test func cellularDataIsTheUsersChoice() async throws {
            let phone = try await Self.phone(Studio())
            try await phone.open()
            try await phone.tap("Download", beside: "Generics")
            try await Self.receivePart(phone)
            Self.useCellular(true, phone)
            try await Self.go(phone, "Generics", "Waiting for an unmetered network.")
            try await phone.tap("Use Cellular Data")
            try await phone.wait("it runs again") { await Self.running(phone) == ["Generics"] }
            await phone.kill()
            // The choice is kept.
            try await phone.open()
            try await phone.wait("it runs again") { await Self.running(phone) == ["Generics"] }
            Self.useCellular(false, phone)
            try await Self.go(phone, "Generics", "Succeeded.")
            #expect(Self.content("talk-1", phone) == Studio.episode(1))
            #expect(phone.world.device.network.bytesReceived < 800_000)
            await phone.end()
        }

        /// A file that no download owns takes the name of an episode.
        @Test func renamedDownloadIsKept() async throws {
            let phone = try await Self.phone(Studio())
            try await phone.open()
            try await phone.tap("Download", beside: "Macros")
            try await Self.go(phone, "Macros", "Succeeded.")
            try Data([1]).write(to: URL(fileURLWithPath: Self.file("talk-1", phone)))
            try await phone.tap("Download", beside: "Generics")
            try await Self.go(phone, "Generics", "Succeeded.")
            #expect(Self.content("talk-1 (1)", phone) == Studio.episode(1))
            await phone.kill()
            try await phone.open()
            try await phone.wait("the other file is deleted") { Self.content("talk-1", phone) == nil }
            #expect(Self.content("talk-1 (1)", phone) == Studio.episode(1))
            try await Self.wait(phone, "Generics", "Succeeded.")
            await phone.end()
        }

        @Test func recordsAndFilesMatchAfterALaunch() async throws {
            let phone = try await Self.phone(Studio())
            try await phone.open()
            for title in ["Generics", "Macros", "Crew"] {
                try await phone.tap("Download", beside: title)
                try await Self.go(phone, title, "Succeeded.")
            }
            await phone.kill()
            try FileManager.default.removeItem(atPath: Self.file("talk-1", phone))
            try Data([1]).write(to: URL(fileURLWithPath: Self.file("crew", phone)))
            try Data([1]).write(to: URL(fileURLWithPath: Self.file("withdrawn", phone)))
            try await phone.open()
            try await Self.wait(phone, "Crew", "Succeeded.")
            // A record without a file.
            try await phone.tap("Download", beside: "Generics")
            try await Self.go(phone, "Generics", "Succeeded.")
            // A file without a record.
            try await phone.wait("the file is deleted") { Self.content("withdrawn", phone) == nil }
            #expect(Self.content("crew", phone) == Data([1]) && Self.content("talk-2", phone) == Studio.episode(1))
            #expect(await Self.status("Crew", phone) == "Succeeded.")
            try await phone.tap("Delete", beside: "Macros")
            try await Self.wait(phone, "Macros", "Talk")
            #expect(Self.content("talk-2", phone) == nil)
            #expect(!(await phone.texts).contains { $0.contains("error") })
            await phone.end()
        }
    }
}
