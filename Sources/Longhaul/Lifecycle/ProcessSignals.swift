import LonghaulCore
import LonghaulIPC
import LonghaulSystem

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
    /// announced, cancelling has no effect: the process ends as it was told. Where the system has no thread left it returns at
    /// once, and the signals do what they did before.
    public func run(_ lifecycle: ProcessLifecycle) async {
        do throws(SystemError) {
            try LifecycleSignals.open()
        } catch {
            preconditionFailure("the signals of a process can be followed once at a time (\(error.text))")
        }
        await withTaskCancellationHandler {
            await withCheckedContinuation { continuation in
                do throws(TransferFailure) {
                    try NativeThread.required {
                        Follower(lifecycle).follow()
                        continuation.resume()
                    }.letGo()
                } catch {
                    // Without a thread that follows them, the signals do what they did before.
                    continuation.resume()
                }
            }
        } onCancel: {
            LifecycleSignals.say(.cancelled)
        }
        LifecycleSignals.close()
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
        let milliseconds = course.alarm.map { PollSet.milliseconds(clock.now.duration(to: $0)) }
        return switch LifecycleSignals.next(milliseconds: milliseconds ?? -1) {
        case .word(.cancelled): .cancelled
        case .word(.readyToStop): .readyToStop
        case .word(.readyToEnd): .readyToEnd
        case .signal(let number): .signal(number)
        case .timePassed: .timePassed
        }
    }

    private func perform(_ action: SignalCourse.Action) {
        switch action {
        case .enter(.background):
            lifecycle.enter(.background, within: SignalCourse.timeToStop) {
                LifecycleSignals.say(.readyToStop)
            }
        case .enter(.terminating):
            lifecycle.enter(.terminating) { LifecycleSignals.say(.readyToEnd) }
        case .enter(let state): lifecycle.enter(state)
        case .stop(let number): LifecycleSignals.suspend(by: number)
        case .end(let number): LifecycleSignals.end(by: number)
        case .leave: break
        }
    }
}
