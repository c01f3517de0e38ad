import Foundation
import FoundationDouble
import LonghaulCore
import TestSupport
import Testing

@testable import LonghaulApple

/// An app on a Mac.
extension AppleSystems {
    @Suite struct DesktopTests {
        @Test @MainActor func anAppOnAMacIsEndedWhenItIsReady() async throws {
            let lifecycle = ProcessLifecycle(gracePeriod: .seconds(60))
            let events = lifecycle.events()
            let running = Task { await lifecycle.run(DesktopLifecycle()) }
            while lifecycle.state != .active { await Task.yield() }
            Screen.setActive(false)
            #expect(lifecycle.state == .inactive)
            Screen.setActive(true)
            let replies = Screen.replies.count
            #expect(Screen.endsLater(lifecycle))
            #expect(Screen.replies.count == replies)
            let reading = Task { for await _ in events {} }
            while Screen.replies.count == replies { await Task.yield() }
            #expect(Screen.replies.last == true)
            for task in [running, reading] {
                task.cancel()
                await task.value
            }
        }

        @Test @MainActor func replyComesOnceAtTheDeadline() async throws {
            let lifecycle = ProcessLifecycle(gracePeriod: .milliseconds(100))
            let running = Task { await lifecycle.run(DesktopLifecycle()) }
            while lifecycle.state != .active { await Task.yield() }
            // An observer that has not handled the end yet.
            let events = lifecycle.events()
            let replies = Screen.replies.count
            #expect(Screen.endsLater(lifecycle))
            for _ in 0..<10_000 where Screen.replies.count == replies { try await Task.sleep(for: .milliseconds(1)) }
            #expect(Screen.replies.count == replies + 1)
            // The second reply would come when the observer has handled the end.
            let isSettled = Mark()
            lifecycle.enter(.terminating) { Task { @MainActor in isSettled.set() } }
            let reading = Task { for await _ in events {} }
            while !isSettled.isSet { await Task.yield() }
            #expect(Screen.replies.count == replies + 1)
            for task in [running, reading] {
                task.cancel()
                await task.value
            }
        }

        @Test func activityLastsWhileTransfersRun() async throws {
            let world = try await AppWorld()
            try await world.open()
            #expect(ProcessInfo.activities == [])
            let first = try await world.session.upload(file: try world.photo(400_000), to: "http://server.example/a")
            let second = try await world.session.upload(file: try world.photo(1_000), to: "http://server.example/b")
            try await world.wait("the activity has begun") { ProcessInfo.activities == ["Transferring files"] }
            try await world.wait("both uploads have started") { world.device.unfinished() == 2 }
            for _ in 0..<2 { world.device.step() }
            try await world.wait("one upload has ended") { try await second.snapshot().state == .succeeded }
            #expect(try await first.snapshot().state.isEnded == false && ProcessInfo.activities.count == 1)
            try await world.go("the activity has ended") { ProcessInfo.activities == [] }
            #expect(try await first.snapshot().state == .succeeded)
            // A session that is closed has no transfers in this process.
            try await world.session.upload(file: try world.photo(1_000), to: "http://server.example/c")
            try await world.wait("the activity has begun") { ProcessInfo.activities.count == 1 }
            await world.process?.app.close()
            #expect(ProcessInfo.activities == [])
            await world.end()
        }
    }
}
