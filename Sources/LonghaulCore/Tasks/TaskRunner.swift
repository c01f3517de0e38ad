/// A process that has declared handlers, as it presents itself.
package struct TaskRunner: Equatable, Sendable {
    /// The tasks it has handlers for.
    package var identifiers: [String]
    /// The runs that it has under way, from an earlier connection.
    package var claims: [TaskClaim]

    package init(identifiers: [String], claims: [TaskClaim] = []) {
        self.identifiers = identifiers
        self.claims = claims
    }
}

/// Names one run.
package struct TaskClaim: Hashable, Sendable {
    package var identifier: String
    package var number: Int64

    package init(identifier: String, number: Int64) {
        self.identifier = identifier
        self.number = number
    }
}

/// The runs that are a process's at the moment. It begins those that are new to it and cancels those that are not there
/// any more; only the latest value counts.
package struct TaskAssignments: Equatable, Sendable {
    package var runs: [BackgroundTaskRun]
    /// Whether a run of this process's handlers is due and only waits for its turn.
    package var hasMore: Bool

    package init(runs: [BackgroundTaskRun] = [], hasMore: Bool = false) {
        self.runs = runs
        self.hasMore = hasMore
    }
}

/// What a process says of a run's end.
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

/// Some of a session's tasks in order of their identifiers, and what holds for all of them.
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

/// What tasks may require of the machine; `nil` for what nobody can tell, which is not a no.
package struct TaskConditions: Equatable, Sendable {
    package var hasNetwork: Bool?
    package var hasExternalPower: Bool?

    package init(hasNetwork: Bool? = nil, hasExternalPower: Bool? = nil) {
        self.hasNetwork = hasNetwork
        self.hasExternalPower = hasExternalPower
    }
}
