/// The status of a background task.
public struct BackgroundTaskStatus: Equatable, Sendable {
    /// Why a pending task does not run now: the first of the reasons that apply.
    package enum Hold: Equatable, Sendable, CaseIterable {
        /// Its time has not come.
        case date
        /// The app's handlers overran or crashed. The app gets no task for a while.
        case throttled
        /// The task requires a network, and there is none.
        case network
        /// The task requires external power, and there is none.
        case power
        /// The app is not running. The service launches it if it has registered for that.
        case app
        /// The app is running and has registered no handler for the task.
        case handler
        /// The handler's last run overran, and has not returned in that process.
        case stillRunning
        /// The maximum number of handlers is running.
        case turn
    }

    /// The app's name for the task.
    public var identifier: String
    /// The pending request; `nil` if there is none.
    package var request: BackgroundTaskRequest?
    /// When the task runs next at the earliest. For a task that is due, the time is in the past.
    public var nextDate: WallTime?
    /// Why the task does not run now; `nil` if it is running, or if nothing is pending.
    package var hold: Hold?
    /// The run in progress.
    package var run: BackgroundTaskRun?
    /// The result of the last run.
    package var last: BackgroundTaskResult?
    /// The number of runs so far.
    package var runs: Int64

    /// Whether the handler is running.
    public var isRunning: Bool { run != nil }
    /// When the last run ended; `nil` if the task has never run.
    public var lastEndedAt: WallTime? { last?.endedAt }
    /// Whether the handler returned in time in the last run, without an error; `nil` if the task has never run.
    public var lastSucceeded: Bool? { last.map { $0.outcome == .succeeded } }

    package init(
        identifier: String, request: BackgroundTaskRequest? = nil, nextDate: WallTime? = nil,
        hold: Hold? = nil, run: BackgroundTaskRun? = nil, last: BackgroundTaskResult? = nil,
        runs: Int64 = 0
    ) {
        self.identifier = identifier
        self.request = request
        self.nextDate = nextDate
        self.hold = hold
        self.run = run
        self.last = last
        self.runs = runs
    }
}

package typealias BackgroundTaskHold = BackgroundTaskStatus.Hold

/// One run of a handler.
package struct BackgroundTaskRun: Equatable, Sendable {
    /// The number of the run, which counts the runs of the task.
    package var number: Int64
    package var request: BackgroundTaskRequest
    /// When it began.
    package var startedAt: WallTime
    /// How long the handler may run.
    package var budget: Duration
    /// How long the handler may take to return after it was cancelled.
    package var grace: Duration
    /// The number of the attempt for the same occasion: above 1, the process of the previous one was lost.
    package var attempt: Int
    /// The boot in which it began: a run that a power failure ended does not count against the app.
    package var bootID: String

    package init(
        number: Int64, request: BackgroundTaskRequest, startedAt: WallTime, budget: Duration, grace: Duration,
        attempt: Int,
        bootID: String
    ) {
        self.number = number
        self.request = request
        self.startedAt = startedAt
        self.budget = budget
        self.grace = grace
        self.attempt = attempt
        self.bootID = bootID
    }
}

/// How a run ended.
package struct BackgroundTaskResult: Equatable, Sendable {
    /// The ways in which a run ends.
    package enum Outcome: Equatable, Sendable, CaseIterable {
        /// The handler returned.
        case succeeded
        /// The handler threw.
        case failed
        /// The handler was cancelled at the end of its time and returned soon after.
        case expired
        /// The handler did not return although it was cancelled.
        case overran
        /// The app's process ended or lost its connection during the run.
        case lost
    }

    /// The run's number.
    package var number: Int64
    /// When it began.
    package var startedAt: WallTime
    /// When its end was recorded.
    package var endedAt: WallTime
    /// Its outcome.
    package var outcome: Outcome
    /// Why it failed, for the user; empty if unknown.
    package var message: String

    package init(number: Int64, startedAt: WallTime, endedAt: WallTime, outcome: Outcome, message: String = "") {
        self.number = number
        self.startedAt = startedAt
        self.endedAt = endedAt
        self.outcome = outcome
        self.message = message
    }
}

/// Delays further tasks of an app whose handlers overrun or crash. All tasks of a session share it.
package struct BackgroundTaskThrottle: Equatable, Sendable {
    /// How often handlers overran or crashed, minus what good runs and time removed.
    package var strikes: Int
    /// The time of the last strike.
    package var lastStrikeAt: WallTime?
    /// Until when the app gets no task; `nil` if it is not throttled.
    package var until: WallTime?

    /// An app in good standing.
    package init() {
        strikes = 0
    }
}
