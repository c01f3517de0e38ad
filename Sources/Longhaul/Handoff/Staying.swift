import LonghaulCore
import LonghaulSystem
import Synchronization

/// Stays for what is better ended in this process, until it is called back from that.
final class Staying: Sendable {
    private let interruptions = Mutex<[AsyncStream<Never>.Continuation]>([])

    /// Ends what is stayed for, and plans anew.
    func interrupt() {
        for interruption in interruptions.withLock({ $0 }) { interruption.finish() }
    }

    /// Returns when a plan stays for nothing any more, when it is not wanted, or when the task is cancelled. Each plan is noted.
    func pass(
        in session: InProcessBackend, until end: ContinuousClock.Instant,
        while isWanted: @Sendable () -> Bool, isolation: isolated (any Actor)? = #isolation,
        onStaying: (@Sendable (HandoffStep) async -> Void)? = nil,
        plan: (_ grace: Duration) async -> HandoffPolicy.Plan
    ) async {
        while isWanted(), !Task.isCancelled {
            let plan = await plan(end - .now)
            guard let stay = Stay(plan, until: min(end, Self.date(of: plan))) else { break }
            let (interruption, feed) = AsyncStream<Never>.makeStream()
            interruptions.withLock { $0.append(feed) }
            await onStaying?(.staying)
            // It may have come back before it could interrupt.
            if isWanted() { await stay.pass(in: session, interruption: interruption) }
            feed.finish()
        }
        interruptions.withLock { $0 = [] }
    }

    /// When a plan is to be made again, on the clock that does not jump; not at once, however soon something may end.
    private static func date(of plan: HandoffPolicy.Plan) -> ContinuousClock.Instant {
        guard case .stay(let date) = plan.departure else { return .now }
        return .now + max(.milliseconds(50), date - SystemClock.wallTime())
    }
}
