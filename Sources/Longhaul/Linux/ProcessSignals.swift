import LonghaulCore
import LonghaulSystem

/// Reports the states of a process from its signals. See ``ProcessLifecycle/run(_:)``.
struct ProcessSignals: ProcessLifecycle.Source {
    /// Follows the signals until the task is cancelled, which restores their earlier handlers. After the exit is announced, a
    /// cancellation has no effect. Returns at once if another lifecycle follows the signals, or if the system has no descriptor or
    /// thread left.
    func run(_ lifecycle: ProcessLifecycle) async {
        do throws(SystemError) { try LifecycleSignals.open() } catch { return }
        await withTaskCancellationHandler {
            await withCheckedContinuation { continuation in
                do throws(TransferFailure) {
                    try NativeThread.required {
                        Follower(lifecycle).follow()
                        continuation.resume()
                    }.detach()
                } catch {
                    // Without a thread to follow them, the signals keep their earlier effects.
                    continuation.resume()
                }
            }
        } onCancel: {
            LifecycleSignals.say(.cancelled)
        }
        LifecycleSignals.close()
    }
}

/// Performs the decisions of a `SignalMachine` on a separate thread. It keeps the deadline even if all of Swift's
/// threads are busy.
private struct Follower {
    private let lifecycle: ProcessLifecycle
    private let clock = ContinuousClock()
    private var course: SignalMachine

    init(_ lifecycle: ProcessLifecycle) {
        self.lifecycle = lifecycle
        course = SignalMachine(gracePeriod: lifecycle.gracePeriod)
    }

    consuming func follow() {
        lifecycle.enter(.active)
        while true {
            let actions = course.handle(next(), at: clock.now)
            for action in actions { perform(action) }
            if actions.last == .release { return }
        }
    }

    private func next() -> SignalMachine.Input {
        let milliseconds = course.alarm.map { PollSet.milliseconds(clock.now.duration(to: $0)) }
        return switch LifecycleSignals.next(milliseconds: milliseconds ?? -1) {
        case .word(.cancelled): .cancelled
        case .word(.readyToStop): .readyToStop
        case .word(.readyToEnd): .readyToEnd
        case .signal(let number): .signal(number)
        case .timePassed: .timePassed
        }
    }

    private func perform(_ action: SignalMachine.Action) {
        switch action {
        case .enter(.background):
            lifecycle.enter(.background, within: SignalMachine.timeToStop) {
                LifecycleSignals.say(.readyToStop)
            }
        case .enter(.terminating):
            lifecycle.enter(.terminating) { LifecycleSignals.say(.readyToEnd) }
        case .enter(let state): lifecycle.enter(state)
        case .stop(let number): LifecycleSignals.suspend(by: number)
        case .end(let number): LifecycleSignals.end(by: number)
        case .release: break
        }
    }
}
