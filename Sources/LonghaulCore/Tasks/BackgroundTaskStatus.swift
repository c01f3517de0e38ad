/// How a task stands.
public struct BackgroundTaskStatus: Equatable, Sendable {
    /// The app's name for it.
    public var identifier: String
    /// What is pending; `nil` when nothing is.
    public var request: BackgroundTaskRequest?
    /// When it runs next at the earliest; in the past for one that is due.
    public var nextDate: WallTime?
    /// Why it does not run now; `nil` when it runs, or when nothing is pending.
    public var hold: BackgroundTaskHold?
    /// The run that is under way.
    public var run: BackgroundTaskRun?
    /// How the last run ended.
    public var last: BackgroundTaskResult?
    /// How often it was run.
    public var runs: Int64

    package init(
        identifier: String, request: BackgroundTaskRequest? = nil, nextDate: WallTime? = nil,
        hold: BackgroundTaskHold? = nil, run: BackgroundTaskRun? = nil, last: BackgroundTaskResult? = nil,
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

/// Why a task does not run now. One reason at a time; the first that would have to go.
public enum BackgroundTaskHold: Int, Equatable, Sendable, CaseIterable {
    /// Its date has not come.
    case date = 0
    /// The app's handlers overran or crashed: it is given none for a while.
    case throttled = 1
    /// It requires a network and there is none.
    case network = 2
    /// It requires external power and there is none.
    case power = 3
    /// The app is not there. It is started if it has registered how.
    case app = 4
    /// The app is there and has not declared a handler for it.
    case handler = 5
    /// The handler's last run was given up and has not returned in that process.
    case stillRunning = 6
    /// As many handlers run as may run at once.
    case turn = 7
}

/// One run of a handler.
public struct BackgroundTaskRun: Equatable, Sendable {
    /// Counts the runs of the task.
    public var number: Int64
    /// What was asked for.
    public var request: BackgroundTaskRequest
    /// When it began.
    public var startedAt: WallTime
    /// How long the handler may run.
    public var budget: Duration
    /// How long it may take to return after it was cancelled.
    public var grace: Duration
    /// Which try of the same occasion it is: above 1 the process of the one before was lost.
    public var attempt: Int
    /// The start of the machine in which it began: a run that a power cut ended is nobody's fault.
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
public struct BackgroundTaskResult: Equatable, Sendable {
    /// The ways in which a run ends.
    public enum Outcome: Int, Equatable, Sendable, CaseIterable {
        /// The handler returned.
        case succeeded = 0
        /// The handler threw.
        case failed = 1
        /// The handler was cancelled at the end of its time and returned soon after.
        case expired = 2
        /// The handler did not return although it was cancelled.
        case overran = 3
        /// The app's process ended, or lost touch, in the middle of it.
        case lost = 4
    }

    /// The run's number.
    public var number: Int64
    /// When it began.
    public var startedAt: WallTime
    /// When its end was noted.
    public var endedAt: WallTime
    /// How it ended.
    public var outcome: Outcome
    /// Why it failed, for a person; empty when nothing is known.
    public var message: String

    package init(number: Int64, startedAt: WallTime, endedAt: WallTime, outcome: Outcome, message: String = "") {
        self.number = number
        self.startedAt = startedAt
        self.endedAt = endedAt
        self.outcome = outcome
        self.message = message
    }
}

/// Why a handler's Swift task was cancelled.
public enum TaskCancellationReason: Equatable, Sendable {
    /// Its time was over (Apple: the expiration handler is called).
    case budgetExpired
    /// Its run is not wanted any more: the service gave it up, or gave it to another process.
    case withdrawn
    /// The app ended its `run()`, or closed the session.
    case appLeaving
}

/// What keeps an app whose handlers overrun or crash from being given more. All tasks of a session share it.
package struct BackgroundTaskThrottle: Equatable, Sendable {
    /// How often handlers overran or crashed, less what good runs and time took off.
    package var strikes: Int
    /// When that happened last.
    package var lastStrikeAt: WallTime?
    /// Until when the app is given no task; `nil` when it is not throttled.
    package var until: WallTime?

    /// An app in good standing.
    package init() {
        strikes = 0
    }
}
