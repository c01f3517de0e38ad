import LonghaulCore
import LonghaulSystem

/// The decisions of a process about its lifecycle signals. It neither waits nor reads a clock.
struct SignalMachine: Equatable {
    enum Input: Equatable {
        case signal(Int32)
        /// The observers have handled the coming suspension.
        case readyToStop
        /// Nothing delays the end any more.
        case readyToEnd
        case timePassed
        /// The signals are no longer followed.
        case cancelled
    }

    enum Action: Equatable {
        case enter(LifecycleState)
        /// Let the signal's default action suspend the process, which continues after it.
        case stop(Int32)
        /// Let the signal's default action end the process.
        case end(Int32)
        /// Restore the earlier signal handlers.
        case release
    }

    /// The suspension or end that the process prepares for.
    enum Plan: Equatable {
        case stop(by: ContinuousClock.Instant)
        case end(Int32, by: ContinuousClock.Instant)
    }

    /// Limits how long the user waits for the prompt after Ctrl-Z.
    static let timeToStop = Duration.milliseconds(500)

    private(set) var plan: Plan?
    private let gracePeriod: Duration

    init(gracePeriod: Duration) {
        self.gracePeriod = gracePeriod
    }

    /// When `timePassed` is due.
    var alarm: ContinuousClock.Instant? {
        switch plan {
        case .stop(let date), .end(_, let date): date
        case nil: nil
        }
    }

    mutating func handle(_ input: Input, at now: ContinuousClock.Instant) -> [Action] {
        switch (plan, input) {
        case (.end, .signal(SignalNumber.interrupt)):
            // A second Ctrl-C ends the process at once.
            return [.end(SignalNumber.interrupt)]
        case (.end, .signal):
            // The end is already in progress; logging out sends SIGTERM and SIGHUP together.
            return []
        case (.end(let number, _), .readyToEnd): return [.end(number)]
        case (.end(let number, let date), .timePassed): return date <= now ? [.end(number)] : []
        case (.stop, .readyToStop): return stop()
        case (.stop(let date), .timePassed): return date <= now ? stop() : []
        case (.stop, .signal(SignalNumber.continuation)):
            // The shell continued the process before it was suspended.
            plan = nil
            return [.enter(.active)]
        case (.stop, .signal(SignalNumber.suspend)): return []
        case (nil, .signal(SignalNumber.suspend)):
            plan = .stop(by: now + Self.timeToStop)
            return [.enter(.background)]
        case (nil, .signal(SignalNumber.continuation)):
            // SIGCONT follows every suspension, whose end is reported elsewhere.
            return []
        case (nil, .signal(let number)), (.stop, .signal(let number)):
            plan = .end(number, by: now + gracePeriod)
            return [.enter(.terminating)]
        // An app that cancels all its tasks before its end still gets the time until the deadline.
        case (.end, .cancelled): return []
        case (.stop, .cancelled): return stop() + [.release]
        case (nil, .cancelled): return [.release]
        // The observers settled after the plan was over.
        case (.end, .readyToStop), (.stop, .readyToEnd), (nil, .readyToStop), (nil, .readyToEnd), (nil, .timePassed):
            return []
        }
    }

    private mutating func stop() -> [Action] {
        plan = nil
        return [.stop(SignalNumber.suspend), .enter(.active)]
    }
}
