import LonghaulCore
import TestSupport
import Testing

@testable import Longhaul

@Suite(.timeLimit(.minutes(5))) struct LifecycleFollowerTests {
    /// Records its calls; `leave` optionally waits until it is interrupted.
    private final class RecordingMover: SessionMover {
        let log = Mailbox<String>()
        private let staysAway: Bool
        private let interruptions = AsyncStream<Void>.makeStream()

        init(staysAway: Bool = false) {
            self.staysAway = staysAway
        }

        func handOver(
            by deadline: ContinuousClock.Instant, while isWanted: @escaping @Sendable () -> Bool
        ) async -> HandoffReport {
            log.append("leave")
            if staysAway { for await _ in interruptions.stream where !isWanted() { break } }
            // Called once: a test that reads the log entry may return at once.
            let isGone = isWanted()
            log.append(isGone ? "left" : "kept")
            return HandoffReport(isGone ? .handedOver : .unchanged)
        }

        func interrupt() async { interruptions.continuation.yield() }

        func comeBack() async -> HandoffReport {
            log.append("come back")
            return HandoffReport(.takenOver)
        }
    }

    private func follow(
        _ mover: RecordingMover, _ states: [(LifecycleState, awaits: String?)]
    ) async throws -> [HandoffReport] {
        let lifecycle = ProcessLifecycle()
        let reports = Mailbox<HandoffReport>()
        return try await withThrowingTaskGroup(of: Void.self) { group in
            group.addTask {
                await LifecycleFollower(
                    lifecycle: lifecycle, mover: mover, beforeExit: { mover.log.append("goodbye") },
                    report: { reports.append($0) }
                ).run()
            }
            for (state, line) in states {
                lifecycle.enter(state)
                if let line { _ = try await mover.log.next { $0 == line } }
            }
            await withCheckedContinuation { continuation in
                lifecycle.enter(lifecycle.state) { continuation.resume() }
            }
            group.cancelAll()
            return reports.all
        }
    }

    @Test func followerHandsOverAndReturns() async throws {
        let reports = try await follow(
            RecordingMover(), [(.active, "come back"), (.background, "left"), (.active, "come back")])
        #expect(reports.map(\.outcome).contains(.handedOver))
    }

    @Test func quickReturnKeepsSession() async throws {
        let reports = try await follow(
            RecordingMover(staysAway: true), [(.active, "come back"), (.background, "leave"), (.active, "kept")])
        #expect(!reports.map(\.outcome).contains(.handedOver))
    }

    @Test func theEndIsFollowedAlsoWhenItWasAnnouncedBefore() async throws {
        let reports = try await follow(RecordingMover(), [(.terminating, "left")])
        #expect(reports.map(\.outcome) == [.handedOver])
    }

    /// An app that only enters the background may be killed there, and has not said goodbye.
    @Test func goodbyeIsSentOnlyAtTerminationBeforeHandoff() async throws {
        let mover = RecordingMover()
        _ = try await follow(mover, [(.active, "come back"), (.background, "left"), (.terminating, "left")])
        #expect(mover.log.all.drop { $0 == "come back" } == ["leave", "left", "goodbye", "leave", "left"])
    }
}
