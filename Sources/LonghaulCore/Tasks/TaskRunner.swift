/// A process with handlers, as it introduces itself.
package struct TaskRunner: Equatable, Sendable {
    /// The tasks for which it has handlers.
    package var identifiers: [String]
    /// Its active runs, from an earlier connection.
    package var claims: [TaskClaim]

    package init(identifiers: [String], claims: [TaskClaim] = []) {
        self.identifiers = identifiers
        self.claims = claims
    }
}

/// Identifies one run.
package struct TaskClaim: Hashable, Sendable {
    package var identifier: String
    package var number: Int64

    package init(identifier: String, number: Int64) {
        self.identifier = identifier
        self.number = number
    }
}

/// The current runs of a process. The process begins new runs and cancels missing ones; only the latest value counts.
package struct TaskAssignments: Equatable, Sendable {
    package var runs: [BackgroundTaskRun]
    /// Whether another run for this process's handlers is due and only waits for its turn.
    package var hasMore: Bool

    package init(runs: [BackgroundTaskRun] = [], hasMore: Bool = false) {
        self.runs = runs
        self.hasMore = hasMore
    }
}

/// A process's report about a run's end.
package struct TaskReturn: Equatable, Sendable {
    package var claim: TaskClaim
    package var outcome: BackgroundTaskResult.Outcome
    package var message: String

    package init(claim: TaskClaim, outcome: BackgroundTaskResult.Outcome, message: String = "") {
        self.claim = claim
        self.outcome = outcome
        self.message = message
    }
}

/// Some of a session's tasks in order of their identifiers, and the settings for all of them.
package struct TaskPage: Equatable, Sendable {
    package var tasks: [BackgroundTaskStatus]
    /// Whether more follow after the last one.
    package var hasMore: Bool
    package var throttle: BackgroundTaskThrottle
    package var settings: BackgroundTaskSettings

    package init(
        tasks: [BackgroundTaskStatus] = [], hasMore: Bool = false,
        throttle: BackgroundTaskThrottle = BackgroundTaskThrottle(),
        settings: BackgroundTaskSettings = BackgroundTaskSettings()
    ) {
        self.tasks = tasks
        self.hasMore = hasMore
        self.throttle = throttle
        self.settings = settings
    }
}

/// The machine's conditions for tasks; `nil` if unknown, which does not mean no.
package struct TaskConditions: Equatable, Sendable {
    package var hasNetwork: Bool?
    package var hasExternalPower: Bool?

    package init(hasNetwork: Bool? = nil, hasExternalPower: Bool? = nil) {
        self.hasNetwork = hasNetwork
        self.hasExternalPower = hasExternalPower
    }
}
