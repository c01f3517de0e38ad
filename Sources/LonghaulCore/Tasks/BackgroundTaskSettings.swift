/// Settings for a session's background tasks, stored with the session.
package struct BackgroundTaskSettings: Equatable, Sendable {
    /// How long the handler of an app refresh may run. Default 30 s, like Apple's.
    package var refreshBudget: Duration
    /// How long the handler of a processing task may run. Default 10 minutes.
    package var processingBudget: Duration
    /// How long a handler may take to return after it was cancelled. Default 5 s.
    package var grace: Duration
    /// How many handlers run at once. Default 4.
    package var concurrentRuns: Int
    /// How long an app gets no task after its first overrun or crash; each further one doubles it. Default 60 s.
    package var throttleFirst: Duration
    /// The longest time that an app gets no task. Each such time without another strike also removes one strike. Default 6 hours.
    package var throttleLongest: Duration
    /// Whether at most one app refresh and ten processing tasks may be pending, as on Apple systems. Default false.
    package var enforcesAppleLimits: Bool

    /// The defaults.
    package init() {
        refreshBudget = .seconds(30)
        processingBudget = .seconds(600)
        grace = .seconds(5)
        concurrentRuns = 4
        throttleFirst = .seconds(60)
        throttleLongest = .seconds(6 * 3_600)
        enforcesAppleLimits = false
    }

    func budget(of kind: BackgroundTaskRequest.Kind) -> Duration {
        switch kind {
        case .appRefresh: refreshBudget
        case .processing: processingBudget
        }
    }

    /// Returns how many may be pending.
    package func limit(of kind: BackgroundTaskRequest.Kind) -> Int {
        guard enforcesAppleLimits else { return 100_000 }
        switch kind {
        case .appRefresh: return 1
        case .processing: return 10
        }
    }

    /// Why they are invalid; `nil` if they are valid.
    package var refusal: TransferFailure? {
        let day = Duration.seconds(86_400)
        let times = [refreshBudget, processingBudget, throttleFirst, throttleLongest]
        let isFine =
            times.allSatisfy { $0 >= .milliseconds(10) && $0 <= day } && grace >= .zero && grace <= .seconds(600)
            && throttleFirst <= throttleLongest && (1...100).contains(concurrentRuns)
        return isFine
            ? nil
            : TransferFailure(
                .invalidArgument,
                "Budgets and throttles must be from 10 ms to a day, with the longest not shorter than the others, the grace period at most 10 minutes, and the number of handlers at once from 1 to 100."
            )
    }
}
