import CLinux
import Glibc
import LonghaulCore
import LonghaulIPC

/// The life of a process as its signals tell it.
///
/// SIGTERM, SIGINT and SIGHUP announce the end: the process ends by the same signal when the lifecycle has settled, or at
/// the deadline, so that whoever started it sees the usual status (128 + the signal's number in a shell). A second SIGINT ends it
/// at once. SIGTSTP is told as `willResignActive` and `didEnterBackground`, and half a second later at most the
/// process stands still; when it goes on, that is told as `willEnterForeground` and `didBecomeActive`.
///
/// Signals that the process was started to ignore, as by `nohup`, stay ignored. SIGKILL and SIGSTOP cannot be seen. A
/// process runs one of these at a time.
public struct ProcessSignals: LifecycleSource {
    /// Makes the source; it touches no signal before it runs.
    public init() {}

    /// Follows the signals until the task is cancelled, which gives them back to whoever had them before. Once the end is
    /// announced, cancelling has no effect: the process ends as it was told.
    public func run(_ lifecycle: ProcessLifecycle) async {
        let result = longhaul_lifecycle_open()
        precondition(result == 0, "the signals of a process can be followed once at a time (error \(-result))")
        await withTaskCancellationHandler {
            await withCheckedContinuation { continuation in
                NativeThread {
                    Follower(lifecycle).follow()
                    continuation.resume()
                }.letGo()
            }
        } onCancel: {
            longhaul_lifecycle_wake(LONGHAUL_LIFECYCLE_CANCELLED)
        }
        longhaul_lifecycle_close()
    }
}

/// Does on a thread of its own what the course decides. It keeps the deadline even when every thread of Swift's own is
/// busy.
private struct Follower {
    private let lifecycle: ProcessLifecycle
    private let clock = ContinuousClock()
    private var course: SignalCourse

    init(_ lifecycle: ProcessLifecycle) {
        self.lifecycle = lifecycle
        course = SignalCourse(gracePeriod: lifecycle.gracePeriod)
    }

    consuming func follow() {
        lifecycle.enter(.active)
        while true {
            let actions = course.handle(next(), at: clock.now)
            for action in actions { perform(action) }
            if actions.last == .leave { return }
        }
    }

    private func next() -> SignalCourse.Input {
        let number = longhaul_lifecycle_next(course.alarm.map(milliseconds) ?? -1)
        switch number {
        case LONGHAUL_LIFECYCLE_CANCELLED: return .cancelled
        case LONGHAUL_LIFECYCLE_READY_TO_STOP: return .readyToStop
        case LONGHAUL_LIFECYCLE_READY_TO_END: return .readyToEnd
        case 1...: return .signal(number)
        default: return .timePassed
        }
    }

    private func perform(_ action: SignalCourse.Action) {
        switch action {
        case .enter(.background):
            lifecycle.enter(.background, within: SignalCourse.timeToStop) {
                longhaul_lifecycle_wake(LONGHAUL_LIFECYCLE_READY_TO_STOP)
            }
        case .enter(.terminating):
            lifecycle.enter(.terminating) { longhaul_lifecycle_wake(LONGHAUL_LIFECYCLE_READY_TO_END) }
        case .enter(let state): lifecycle.enter(state)
        case .stop(let number): longhaul_lifecycle_stop(number)
        case .end(let number): longhaul_lifecycle_end(number)
        case .leave: break
        }
    }

    /// Until then, rounded up: waking early would be waking twice.
    private func milliseconds(until date: ContinuousClock.Instant) -> Int32 {
        let left = clock.now.duration(to: date)
        guard left > .zero else { return 0 }
        return Int32(
            clamping: left.components.seconds * 1_000 + left.components.attoseconds / 1_000_000_000_000_000 + 1)
    }
}
