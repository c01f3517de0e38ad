import LonghaulCore
import LonghaulSystem

/// What a process does about the signals of its life: decides, and neither waits nor reads a clock.
struct SignalCourse: Equatable {
    enum Input: Equatable {
        case signal(Int32)
        /// The observers have seen that the process is about to be suspended.
        case readyToStop
        /// Nothing holds the end back any more.
        case readyToEnd
        case timePassed
        /// Nobody follows the signals any more.
        case cancelled
    }

    enum Action: Equatable {
        case enter(LifecycleState)
        /// Let the signal's default action suspend the process; it goes on after it.
        case stop(Int32)
        /// Let the signal's default action end the process.
        case end(Int32)
        /// Give the signals back.
        case leave
    }

    /// What the process is getting ready for.
    enum Plan: Equatable {
        case stop(by: ContinuousClock.Instant)
        case end(Int32, by: ContinuousClock.Instant)
    }

    /// A person who presses Ctrl-Z is not made to wait longer for the prompt.
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
            // A second Ctrl-C means now.
            return [.end(SignalNumber.interrupt)]
        case (.end, .signal):
            // The end is on its way; logging out sends SIGTERM and SIGHUP together.
            return []
        case (.end(let number, _), .readyToEnd): return [.end(number)]
        case (.end(let number, let date), .timePassed): return date <= now ? [.end(number)] : []
        case (.stop, .readyToStop): return stop()
        case (.stop(let date), .timePassed): return date <= now ? stop() : []
        case (.stop, .signal(SignalNumber.goOn)):
            // The shell changed its mind before the process stood still.
            plan = nil
            return [.enter(.active)]
        case (.stop, .signal(SignalNumber.suspend)): return []
        case (nil, .signal(SignalNumber.suspend)):
            plan = .stop(by: now + Self.timeToStop)
            return [.enter(.background)]
        case (nil, .signal(SignalNumber.goOn)):
            // It follows every stop that is over, and is told then.
            return []
        case (nil, .signal(let number)), (.stop, .signal(let number)):
            plan = .end(number, by: now + gracePeriod)
            return [.enter(.terminating)]
        // An app that cancels everything before its end is still owed the deadline.
        case (.end, .cancelled): return []
        case (.stop, .cancelled): return stop() + [.leave]
        case (nil, .cancelled): return [.leave]
        // The observers settled after the plan they settled for was over.
        case (.end, .readyToStop), (.stop, .readyToEnd), (nil, .readyToStop), (nil, .readyToEnd), (nil, .timePassed):
            return []
        }
    }

    private mutating func stop() -> [Action] {
        plan = nil
        return [.stop(SignalNumber.suspend), .enter(.active)]
    }
}
