import Foundation
import FoundationDouble
import LonghaulCore
import TestSupport
import Testing

@testable import LonghaulURLSession

/// Files that a server sends with a content coding, which the system removes.
extension AppleSystems {
    @Suite struct ContentCodingTests {
        /// The headers of an object that is stored compressed: they describe the compressed bytes.
        private static let coded = [
            "Content-Encoding": "gzip", "Content-Length": "1000", "ETag": "\"1\"", "Accept-Ranges": "bytes",
            "Date": "Fri, 15 Jan 2027 08:00:00 GMT", "Last-Modified": "Thu, 14 Jan 2027 08:00:00 GMT",
            "Repr-Digest": "sha-256=:\(Data(repeating: 7, count: 32).base64EncodedString()):",
        ]

        private static func world(_ lane: SystemEngine.Lane) throws -> SystemWorld {
            let world = try SystemWorld(lane: lane)
            world.device.changeNetwork { $0.server = { _, _ in .init(200, coded, SystemWorld.content) } }
            return world
        }

        /// Downloads the first bytes, and waits until their version is on the disk.
        private static func begin(_ world: SystemWorld) async throws -> TransferID {
            world.device.changeNetwork { $0.portion = 10_000 }
            let film = try await world.submit(world.download())
            try await world.go("bytes arrive") {
                let snapshot = try await world.detail(film).snapshot
                return snapshot.state == .running(.receiving) && snapshot.bytesDone > 10_000
            }
            return film
        }

        private static func ranges(_ world: SystemWorld) -> [Bool] {
            world.device.network.requests.map { $0.request.value(forHTTPHeaderField: "Range") != nil }
        }

        @Test(arguments: [SystemEngine.Lane.front, .back]) func decodedFileIsWhole(_ lane: SystemEngine.Lane)
            async throws
        {
            let world = try Self.world(lane)
            let film = try await world.submit(world.download())
            try await world.go("it ends") { try await world.state(film).isEnded }
            let snapshot = try await world.detail(film).snapshot
            #expect(snapshot.state == .succeeded && world.file() == SystemWorld.content)
            #expect(snapshot.bytesDone == 300_000 && snapshot.bytesTotal == 300_000 && snapshot.attempts == 1)
            world.end()
        }

        @Test func interruptedDecodedFileRestarts() async throws {
            let world = try Self.world(.front)
            let film = try await Self.begin(world)
            #expect(try await world.detail(film).snapshot.bytesTotal == nil)
            world.die()
            try world.comeBack()
            try await world.go("it ends") { try await world.state(film) == .succeeded }
            #expect(Self.ranges(world) == [false, false] && world.file() == SystemWorld.content)
            world.end()
        }

        @Test func resumeDataOfDecodedBytesIsNotUsed() async throws {
            let world = try Self.world(.back)
            let film = try await world.submit(world.download())
            try await world.tasks(1)
            world.device.step()
            try await world.send(.control(.pause, .ids([film])))
            try await world.wait("it is paused") {
                try await world.state(film) == .paused && world.device.unfinished() == 0
            }
            try await world.send(.control(.resume, .ids([film])))
            let before = world.device.network.bytesReceived
            #expect(before > 0)
            try await world.go("it ends") { try await world.state(film) == .succeeded }
            #expect(Self.ranges(world) == [false, false] && world.file() == SystemWorld.content)
            #expect(world.device.network.bytesReceived - before == Int64(SystemWorld.content.count))
            world.end()
        }

        @Test(arguments: [SystemEngine.Lane.front, .back]) func digestOfStoredFormIsRefused(_ lane: SystemEngine.Lane)
            async throws
        {
            let world = try Self.world(lane)
            var spec = world.download()
            var download = try #require(spec.download)
            download.expectedDigest = Digest(algorithm: .sha256, bytes: [UInt8](repeating: 7, count: 32))
            spec.work = .download(download)
            let film = try await world.submit(spec)
            try await world.go("it ends") { try await world.state(film).isEnded }
            guard case .failed(let failure) = try await world.state(film) else { throw Unexpected() }
            #expect(failure.code == .digestMismatch && failure.message.contains("the content coding gzip"))
            #expect(world.file() == nil && Self.ranges(world) == [false])
            world.end()
        }

        /// The first response is not coded. `isLaunched`: the system has the second request.
        @Test(arguments: [false, true]) func decodedPartIsReplacedByTheWholeFile(_ isLaunched: Bool) async throws {
            let world = try SystemWorld(lane: .front)
            let film = try await Self.begin(world)
            world.die()
            world.device.changeNetwork {
                $0.server = { request, body in
                    var answer = SystemWorld.answer(request, body)
                    if answer?.status == 206 { answer?.headers["Content-Encoding"] = "gzip" }
                    return answer
                }
            }
            world.device.enter(isLaunched ? .background : .foreground)
            if isLaunched { try world.launch() } else { try world.comeBack() }
            try await world.go("it ends") { try await world.state(film) == .succeeded }
            #expect(Self.ranges(world) == [false, true, false] && world.file() == SystemWorld.content)
            world.end()
        }

        @Test func identityIsNoCoding() {
            for (value, coding) in [("identity", nil), ("", nil), ("GZIP", "gzip"), ("br, zstd", "br, zstd")] {
                let head = ResponseHead(
                    status: 200, headers: [HeaderField("content-encoding", value)], effectiveURL: "")
                #expect(head.removedCoding == coding)
            }
        }
    }
}
