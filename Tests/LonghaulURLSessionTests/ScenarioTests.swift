import Foundation
import FoundationDouble
import LonghaulCore
import LonghaulURLSession
import Synchronization
import TestSupport
import Testing

/// Scenarios of an app on a device that follows Apple's rules: the project's own loop and store, and the engine over
/// the system's sessions.
extension AppleSystems {
    @Suite struct ScenarioTests {
        @Test(arguments: [SystemEngine.Lane.front, .back]) func uploadAndDownloadSucceed(_ lane: SystemEngine.Lane)
            async throws
        {
            let world = try SystemWorld(lane: lane)
            let put = try await world.submit(world.upload("PUT", 200_000))
            let film = try await world.submit(world.download())
            try await world.go("both end") {
                let ends = [try await world.state(put), try await world.state(film)]
                return ends == [.succeeded, .succeeded]
            }
            #expect(try await world.detail(put).response.map { String(decoding: $0.body, as: UTF8.self) } == "200000")
            #expect(world.file() == SystemWorld.content)
            #expect(world.device.network.requests.count == 2)
            #expect(try FileManager.default.contentsOfDirectory(atPath: world.layout.directory + "/exchanges") == [])
            world.end()
        }

        @Test func aProcessThatDiesOnTheWayCostsNoSecondRequest() async throws {
            let world = try SystemWorld()
            let post = try await world.submit(world.upload("POST", 200_000))
            try await world.tasks(1)
            world.device.step()
            world.device.step()
            world.die()
            world.device.step()
            try world.comeBack()
            #expect(try await world.state(post) == .running(.sending))
            try await world.go("it ends") { try await world.state(post) == .succeeded }
            #expect(world.arrivals("POST") == 1)
            let key = world.device.network.requests.first?.request.value(forHTTPHeaderField: "Idempotency-Key")
            #expect(key == "\"\(post)\"")
            world.end()
        }

        @Test func theAppIsLaunchedForWhatEndedWithoutIt() async throws {
            let world = try SystemWorld()
            let put = try await world.submit(world.upload("PUT", 200_000))
            let film = try await world.submit(world.download())
            try await world.tasks(2)
            world.device.step()
            world.die()
            for _ in 0..<8 { world.device.step() }
            #expect(world.device.launches == [SystemWorld.identifier])
            try await world.wait("the handler") { world.device.openHandlers == 0 }
            // The results of the events were on the disk when the handler was called.
            #expect(try await world.state(put) == .succeeded)
            try await world.wait("the film has its name") { try await world.state(film) == .succeeded }
            #expect(world.file() == SystemWorld.content && world.device.network.requests.count == 2)
            world.end()
        }

        @Test func relaunchedAppReceivesResponseToEarlierUpload() async throws {
            let world = try SystemWorld()
            let mayAnswer = Mutex(false)
            let isReady: @Sendable () -> Bool = { mayAnswer.withLock { $0 } }
            world.device.changeNetwork { $0.server = { _, _ in isReady() ? .init(200, [:], Data("late".utf8)) : nil } }
            let post = try await world.submit(world.upload("POST", 100_000))
            try await world.go("the body has been sent") { try await world.state(post) == .awaitingResponse }
            world.die()
            try world.comeBack()
            #expect(try await world.state(post) == .awaitingResponse)
            mayAnswer.withLock { $0 = true }
            try await world.go("it ends") { try await world.state(post) == .succeeded }
            #expect(world.arrivals("POST") == 1)
            world.end()
        }

        @Test(arguments: [false, true])
        func forceQuitIsReportedAndDownloadResumes(_ isListed: Bool) async throws {
            let world = try SystemWorld()
            let film = try await world.submit(world.download())
            try await world.tasks(1)
            world.device.step()
            world.device.step()
            world.die { $0.forceQuit(listsTasks: isListed) }
            for _ in 0..<5 { world.device.step() }
            #expect(world.device.launches.isEmpty)
            try world.comeBack()
            try await world.wait("the force-quit is reported") { try await world.detail(film).lastFailure != nil }
            #expect(try await world.detail(film).lastFailure?.message.contains("force-quit the app") ?? false)
            world.pass(1_000)
            try await world.send(.control(.retry, .ids([film])))
            try await world.go("it ends") { try await world.state(film) == .succeeded }
            #expect(world.file() == SystemWorld.content)
            // The system's resume data was used: no byte was received twice.
            #expect(world.device.network.bytesReceived == Int64(SystemWorld.content.count))
            world.end()
        }

        @Test func lostTasksRestartIfRepeatable() async throws {
            let world = try SystemWorld()
            let put = try await world.submit(world.upload("PUT", 100_000))
            let post = try await world.submit(world.upload("POST", 100_001))
            try await world.tasks(2)
            world.device.step()
            world.die()
            world.device.loseTasks()
            try world.comeBack()
            guard case .failed(let failure) = try await world.state(post) else {
                Issue.record("the POST did not fail"); return
            }
            #expect(failure.code == .outcomeUnknown)
            try await world.go("it ends") { try await world.state(put) == .succeeded }
            #expect(world.arrivals("POST") == 0)
            world.end()
        }

        @Test func cancelAfterRelaunchReachesSystem() async throws {
            let world = try SystemWorld()
            let put = try await world.submit(world.upload("PUT", 100_000))
            try await world.tasks(1)
            world.device.changeNetwork { $0.isOnline = false }
            world.die()
            try world.comeBack()
            try await world.send(.control(.cancel, .ids([put])))
            try await world.tasks(0)
            #expect(try await world.state(put) == .cancelled && world.device.network.requests.isEmpty)
            world.end()
        }

        @Test func pausedDownloadRepeatsOnlyComparedBytes() async throws {
            let world = try SystemWorld(lane: .front)
            let film = try await world.submit(world.download())
            try await world.tasks(1)
            try await world.go("bytes arrive") { world.device.network.bytesReceived >= 131_072 }
            try await world.send(.control(.pause, .ids([film])))
            try await world.tasks(0)
            try await world.send(.control(.resume, .ids([film])))
            try await world.go("it ends") { try await world.state(film) == .succeeded }
            #expect(world.file() == SystemWorld.content)
            // The end of the partial file is compared.
            #expect(world.device.network.bytesReceived == Int64(SystemWorld.content.count) + 4_096)
            world.end()
        }

        /// The process dies between the pause and the call to the system, which completes the exchange.
        @Test func pausedDownloadKeepsArrivedFile() async throws {
            let world = try SystemWorld()
            let film = try await world.submit(world.download())
            try await world.tasks(1)
            world.die(after: 2)
            try await world.send(.control(.pause, .ids([film])))
            try await world.wait("it is killed") { world.wasKilled }
            try await world.go("the app is started") {
                !world.device.launches.isEmpty && world.device.openHandlers == 0
            }
            #expect(try await world.state(film) == .paused)
            try world.comeBack()
            try await world.send(.control(.resume, .ids([film])))
            try await world.go("it ends") { try await world.state(film) == .succeeded }
            #expect(world.file() == SystemWorld.content && world.arrivals("GET") == 1)
            world.end()
        }

        @Test func partialFileIsResumedWithExplicitRange() async throws {
            let world = try SystemWorld()
            // Half of the film exists, as the engine over libcurl or another app left it.
            let film = try await world.submit(world.download())
            try await world.tasks(1)
            world.device.step()
            try await world.wait("its version is known") { try await world.state(film) == .running(.receiving) }
            world.device.loseTasks()
            world.die()
            let half = SystemWorld.content.prefix(150_000)
            try half.write(to: URL(fileURLWithPath: world.temporary.path(PartialName.make(film))))
            try world.comeBack()
            try await world.go("it ends") { try await world.state(film) == .succeeded }
            let asked = world.device.network.requests.last?.request
            #expect(asked?.value(forHTTPHeaderField: "Range")?.hasPrefix("bytes=1") ?? false)
            #expect(world.file() == SystemWorld.content)
            world.end()
        }

        @Test func aBrokenConnectionIsTheSystemsOwnConcern() async throws {
            let world = try SystemWorld()
            let put = try await world.submit(world.upload("PUT", 200_000))
            try await world.tasks(1)
            world.device.step()
            world.device.changeNetwork { $0.isOnline = false }
            world.device.breakConnections()
            for _ in 0..<5 { world.device.step() }
            world.device.changeNetwork { $0.isOnline = true }
            try await world.go("it ends") { try await world.state(put) == .succeeded }
            #expect(try await world.detail(put).snapshot.attempts == 1)
            #expect(world.device.network.bytesSent == 200_000 + 65_536)
            world.end()
        }

        @Test func formIsSentAsOneFile() async throws {
            let world = try SystemWorld()
            guard case .upload(.raw(let source)) = try world.upload("POST", 5_000).work else { throw Unexpected() }
            let parts = [
                FormPart(name: "title", content: .text("Hour")),
                FormPart(name: "file", content: .file(source, fileName: "a.jpg", contentType: "image/jpeg")),
            ]
            let form = try await world.submit(
                TransferSpec(
                    work: .upload(.form(boundary: "b", parts: parts)), method: "POST", url: "http://server.example/f"))
            try await world.go("it ends") { try await world.state(form) == .succeeded }
            let body = world.device.network.requests.first.map { String(decoding: $0.body.prefix(80), as: UTF8.self) }
            #expect(body?.hasPrefix("--b\r\n") ?? false && world.arrivals("POST") == 1)
            world.end()
        }

        @Test func redirectDroppingTheBodyFailsUpload() async throws {
            let world = try SystemWorld()
            world.device.changeNetwork {
                $0.server = { _, _ in
                    var answer = SimulatedNetwork.Answer(200)
                    answer.redirectedAs = "GET"
                    return answer
                }
            }
            let put = try await world.submit(world.upload("PUT", 1_000))
            try await world.go("it fails") {
                if case .failed(let failure) = try await world.state(put) {
                    failure.code == .redirectRefused
                } else {
                    false
                }
            }
            world.end()
        }

        @Test func unsupportedOptionsAreRefused() async throws {
            let world = try SystemWorld()
            let key = TrustedKey(
                origin: "https://server.example:443", publicKey: "sha256//" + String(repeating: "A", count: 43) + "=")
            for change: (inout NetworkOptions) -> Void in [
                { $0.allowsUntrustedServer = true }, { $0.trustedKeys = [key.origin: key.publicKey] },
                { $0.pinnedPublicKeys = key.publicKey },
            ] {
                var spec = world.download()
                change(&spec.network)
                let film = try await world.submit(spec)
                try await world.wait("it fails") {
                    if case .failed(let failure) = try await world.state(film) {
                        failure.code == .invalidArgument
                    } else {
                        false
                    }
                }
            }
            #expect(world.device.network.requests.isEmpty)
            world.end()
        }
    }
}
