import Foundation
import FoundationDouble
import LonghaulCore
import LonghaulURLSession
import Testing

/// The process is killed after each number of the device's steps, and the requests are completed even so.
extension AppleSystems {
    @Suite struct KillTests {
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
