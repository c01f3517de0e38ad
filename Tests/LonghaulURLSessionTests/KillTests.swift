import Foundation
import FoundationDouble
import LonghaulCore
import TestSupport
import Testing

@testable import LonghaulURLSession

/// The process is killed after each number of the device's steps, and the requests are completed even so.
extension AppleSystems {
    @Suite struct KillTests {
        /// The system may deliver the events of ended tasks as soon as the session exists.
        @Test func storedEventsWaitForTheEngine() throws {
            let world = try SystemWorld(isLaunched: false)
            let (options, sessions) = (BackgroundSessionOptions(identifier: "org.example"), SystemSessions())
            let queues = sessions.session(options).sessions.map(\.delegateQueue)
            #expect(queues.allSatisfy { $0.isSuspended && $0.maxConcurrentOperationCount == 1 })
            let engine = try SystemEngine(options, directory: world.temporary.path("notes"), sessions: sessions) { _ in
            }
            #expect(queues.allSatisfy { !$0.isSuspended })
            engine.shutDown()
            #expect(queues.allSatisfy { $0.isSuspended })
            world.end()
        }

        @Test func bothSessionsEndTheirOwnLaunches() throws {
            let world = try SystemWorld()
            let engine = try #require(world.engine)
            let told = Mailbox<String>()
            let names = [SystemWorld.identifier, SystemWorld.identifier + ".discretionary"]
            for name in names { engine.whenAllIsTold(of: name) { told.append(name) } }
            engine.hearAllIsTold(of: names[1])
            #expect(told.all == [names[1]])
            engine.hearAllIsTold(of: names[0])
            #expect(told.all == [names[1], names[0]])
            // The next launch waits for its own events.
            engine.whenAllIsTold(of: names[0]) { told.append("next") }
            #expect(told.all.count == 2)
            engine.hearAllIsTold(of: names[0])
            #expect(told.all.last == "next")
            world.end()
        }

        @Test func resumeDataIsDeletedWithItsPartialFile() async throws {
            let world = try SystemWorld()
            let film = try await world.submit(world.download())
            try await world.tasks(1)
            for _ in 0..<2 { world.device.step() }
            try await world.send(.control(.pause, .ids([film])))
            let notes = try #require(world.engine).notes
            try await world.wait("the system has produced resume data") { notes.hasToken(of: film) }
            try await world.send(.control(.cancel, .ids([film])))
            try await world.wait("the resume data is gone") { !notes.hasToken(of: film) }
            world.end()
        }

        /// The app may die as soon as the system has the task: the next process knows it by its note.
        @Test func noteIsOnDiskBeforeTaskIsResumed() async throws {
            let world = try SystemWorld()
            let notes = try #require(world.engine).notes
            let hasNote = Mailbox<Bool>()
            world.device.whenResumed { name in
                hasNote.append(name.flatMap(ExchangeID.init).flatMap(notes.read) != nil)
            }
            for spec in try [world.upload("PUT", 100_000), world.upload("POST", 100_001), world.download()] {
                _ = try await world.submit(spec)
            }
            try await world.tasks(3)
            #expect(hasNote.all == [true, true, true])
            world.end()
        }

        /// The process is killed before or after each commit and action of a cancellation. The system's task may outlive it.
        @Test(arguments: 0..<8) func cancelledUploadIsNotSentLater(_ points: Int) async throws {
            let world = try SystemWorld()
            let photo = try await world.submit(world.upload("PUT", 200_000))
            try await world.tasks(1)
            world.die(after: points)
            world.say(.control(.cancel, .ids([photo])))
            try await world.wait("it is killed or done") { world.wasKilled || world.device.unfinished() == 0 }
            if !world.wasKilled { world.die() }
            try world.comeBack()
            let isCancelled = try await world.state(photo) == .cancelled
            try await world.go("no task is left") { world.device.unfinished() == 0 }
            #expect(world.arrivals("PUT") == (isCancelled ? 0 : 1))
            world.end()
        }

        /// A server may respond before it has the whole body (RFC 9110, section 10.1.1). It has a part of the file if the connection breaks.
        @Test(arguments: [SystemEngine.Lane.front, .back]) func earlyResponseIsNoSuccessOfABrokenUpload(
            _ lane: SystemEngine.Lane
        ) async throws {
            let world = try SystemWorld(lane: lane)
            world.device.changeNetwork { $0.respondsEarly = true }
            let photo = try await world.submit(world.upload("PUT", 200_000))
            try await world.go("a part is sent") { world.device.network.bytesSent > 0 }
            world.device.changeNetwork { $0.respondsEarly = false }
            world.device.breakConnections()
            try await world.go("it ends") {
                // The retry waits.
                world.passTogether(1)
                return try await world.state(photo).isEnded
            }
            #expect(try await world.state(photo) == .succeeded && world.arrivals("PUT") == 1)
            world.end()
        }

        /// Some servers send a part without a request for one.
        @Test func unrequestedPartIsNotTheFile() async throws {
            let world = try SystemWorld()
            world.device.changeNetwork {
                $0.server = { request, body in
                    var answer = SystemWorld.answer(request, body)
                    if answer?.status == 200 {
                        answer?.status = 206
                        answer?.headers["Content-Range"] = "bytes 0-99999/300000"
                        answer?.body = SystemWorld.content.prefix(100_000)
                    }
                    return answer
                }
            }
            let film = try await world.submit(world.download())
            try await world.go("it ends") { try await world.state(film).isEnded }
            #expect(try await world.state(film) != .succeeded || world.file() == SystemWorld.content)
            world.end()
        }

        /// A request that must not be repeated, and a download: killed after some steps, then opened by the user or by the system.
        @Test(arguments: 0..<8, [false, true]) func killedTransfersHappenOnce(_ steps: Int, _ opensItself: Bool)
            async throws
        {
            let world = try SystemWorld()
            let post = try await world.submit(world.upload("POST", 200_000))
            let film = try await world.submit(world.download())
            if steps > 0 { try await world.tasks(2) }
            for _ in 0..<steps { world.device.step() }
            world.die()
            if !opensItself { try world.comeBack() } else { for _ in 0..<8 { world.device.step() } }
            // If it was killed before any exchange was passed to the system, only the user opens it.
            if opensItself, world.device.launches.isEmpty { try world.comeBack() }
            try await world.go("both end") {
                let ends = [try await world.state(post), try await world.state(film)]
                return ends.allSatisfy(\.isEnded)
            }
            try await world.wait("the handler") { world.device.openHandlers == 0 }
            // If it was killed between the note and the first call to the system, this cannot be distinguished from a task that the system
            // has lost.
            let end = try await world.state(post)
            let isUnknown = if case .failed(let failure) = end { failure.code == .outcomeUnknown } else { false }
            #expect(isUnknown ? steps == 0 : end == .succeeded)
            #expect(try await world.state(film) == .succeeded)
            #expect(world.arrivals("POST") == (isUnknown ? 0 : 1) && world.arrivals("GET") == 1)
            #expect(world.file() == SystemWorld.content)
            world.end()
        }
    }
}
