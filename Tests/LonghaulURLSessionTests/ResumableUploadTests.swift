import Foundation
import FoundationDouble
import LonghaulCore
import TestSupport
import Testing

@testable import LonghaulURLSession

/// Uploads to servers that keep the received bytes: the system resumes them with its own resume data.
extension AppleSystems {
    @Suite struct ResumableUploadTests {
        private static let size = 300_000

        private static func world(_ lane: SystemEngine.Lane = .front) throws -> SystemWorld {
            let world = try SystemWorld(lane: lane)
            world.device.changeNetwork { $0.keepsUploads = true }
            return world
        }

        /// Starts an upload that has sent one portion.
        private static func begun(_ spec: TransferSpec, _ world: SystemWorld) async throws -> TransferID {
            let id = try await world.submit(spec)
            try await world.tasks(1)
            world.device.step()
            return id
        }

        private static func pause(_ id: TransferID, _ world: SystemWorld) async throws {
            try await world.send(.control(.pause, .ids([id])))
            try await world.tasks(0)
            #expect(try await world.state(id) == .paused)
        }

        private static func resume(_ id: TransferID, _ world: SystemWorld) async throws {
            try await world.send(.control(.resume, .ids([id])))
            try await world.go("it ends") { try await world.state(id) == .succeeded }
        }

        @Test(arguments: ["PUT", "POST"]) func pausedUploadResumesWithoutRepeatingBytes(_ method: String) async throws {
            let world = try Self.world()
            let upload = try await Self.begun(world.upload(method, Self.size), world)
            try await Self.pause(upload, world)
            try await Self.resume(upload, world)
            #expect(world.arrivals(method) == 1 && world.device.network.bytesSent == Int64(Self.size))
            world.end()
        }

        @Test func anUploadChangesLanesWithoutAByteTwice() async throws {
            let world = try Self.world()
            let post = try await Self.begun(world.upload("POST", Self.size), world)
            try await world.leaveToSystem()
            try await world.wait("the system has it") { world.device.unfinished(inBackground: true) == 1 }
            #expect(world.engine?.movedInVain == [:])
            world.die()
            try await world.go("the app is started") {
                world.device.launches.count == 1 && world.device.openHandlers == 0
            }
            #expect(try await world.state(post) == .succeeded)
            #expect(world.arrivals("POST") == 1 && world.device.network.bytesSent == Int64(Self.size))
            world.end()
        }

        @Test func aConnectionThatIsLostCostsNoByte() async throws {
            let world = try Self.world()
            let put = try await Self.begun(world.upload("PUT", Self.size), world)
            world.device.breakConnections()
            try await world.wait("the lost connection is reported") { try await world.detail(put).lastFailure != nil }
            try await world.send(.control(.retry, .ids([put])))
            try await world.go("it ends") { try await world.state(put) == .succeeded }
            #expect(world.device.network.bytesSent == Int64(Self.size))
            world.end()
        }

        /// The process dies after it took the resume data, and before it resumed the task.
        @Test func resumeDataIsUsedOnceWhateverDies() async throws {
            let world = try Self.world()
            let put = try await Self.begun(world.upload("PUT", Self.size), world)
            try await Self.pause(put, world)
            let notes = try ExchangeNotes(world.layout.directory + "/exchanges")
            try await world.wait("it is kept") { notes.hasToken(of: put) }
            #expect(notes.takeToken(of: put, url: "http://server.example/a") != nil)
            try await Self.resume(put, world)
            #expect(world.arrivals("PUT") == 1 && world.device.network.bytesSent == Int64(Self.size + 65_536))
            world.end()
        }

        @Test func aServerThatHasForgottenGetsAllOfItOnceMore() async throws {
            let world = try Self.world()
            let put = try await Self.begun(world.upload("PUT", Self.size), world)
            try await Self.pause(put, world)
            world.device.changeNetwork { $0.keepsUploads = false }
            try await Self.resume(put, world)
            #expect(world.arrivals("PUT") == 1 && world.device.network.bytesSent == Int64(Self.size + 65_536))
            world.end()
        }

        @Test func newURLAndFormRestartTheUpload() async throws {
            let world = try Self.world()
            let put = try await Self.begun(world.upload("PUT", Self.size), world)
            try await Self.pause(put, world)
            try await world.send(.replaceURL(put, url: "http://server.example/elsewhere", headers: nil))
            try await Self.resume(put, world)
            #expect(world.arrivals("PUT") == 1 && world.device.network.bytesSent == Int64(Self.size + 65_536))

            guard case .upload(.raw(let source)) = try world.upload("POST", Self.size).work else { throw Unexpected() }
            let part = FormPart(name: "file", content: .file(source, fileName: "a.jpg", contentType: "image/jpeg"))
            let before = world.device.network.bytesSent
            let form = try await Self.begun(
                TransferSpec(
                    work: .upload(.form(boundary: "b", parts: [part])), method: "POST", url: "http://server.example/f"),
                world)
            try await Self.pause(form, world)
            try await Self.resume(form, world)
            #expect(world.arrivals("POST") == 1 && world.device.network.bytesSent > before + Int64(Self.size + 65_536))
            world.end()
        }

        /// How the system counts bytes of an earlier task is undocumented. Its counts prove nothing, in the foreground either.
        @Test func resumedPostCannotBePausedAgain() async throws {
            let world = try Self.world()
            let post = try await Self.begun(world.upload("POST", Self.size), world)
            try await Self.pause(post, world)
            try await world.send(.control(.resume, .ids([post])))
            try await world.tasks(1)
            world.device.step()
            guard case .controlled(let answer) = try await world.send(.control(.pause, .ids([post]))) else {
                throw Unexpected()
            }
            #expect(answer.refusals.map(\.failure.code) == [.invalidState])
            try await world.go("it ends") { try await world.state(post) == .succeeded }
            #expect(world.arrivals("POST") == 1 && world.device.network.bytesSent == Int64(Self.size))
            world.end()
        }

        /// Resume data that was not used for a week is deleted.
        @Test func oldResumeDataGoes() throws {
            let temporary = try TemporaryDirectory()
            let notes = try ExchangeNotes(temporary.path)
            let id = TransferID(high: 1, low: 2)
            notes.keep(token: Data([1]), url: "http://server.example/a", of: id)
            let now = WallTime(seconds: Int64(Date().timeIntervalSince1970))
            notes.discardTokens(olderThan: now - .seconds(60))
            #expect(notes.hasToken(of: id))
            notes.discardTokens(olderThan: now + .seconds(60))
            #expect(!notes.hasToken(of: id))
        }
    }
}
