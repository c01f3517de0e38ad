/// The durable state of one task.
package struct BackgroundTaskRecord: Equatable, Sendable {
    package var identifier: String
    package var pending: Pending?
    package var owed: OutstandingRun?
    package var run: BackgroundTaskRun?
    package var last: BackgroundTaskResult?
    /// The number of the newest run.
    package var runs: Int64 = 0
    /// The last local date on which its calendar rule ran.
    package var doneDay: LocalDay?

    /// A submitted request whose run has not begun.
    package struct Pending: Equatable, Sendable {
        package var request: BackgroundTaskRequest
        /// The earliest time.
        package var date: WallTime
        /// Whether it runs at once, whatever its conditions are.
        package var isForced: Bool

        package init(request: BackgroundTaskRequest, date: WallTime, isForced: Bool = false) {
            self.request = request
            self.date = date
            self.isForced = isForced
        }
    }

    /// A run that is still due: its process was lost, or another request was submitted after its time had come.
    package struct OutstandingRun: Equatable, Sendable {
        package var request: BackgroundTaskRequest
        package var since: WallTime
        /// The number of runs begun for it.
        package var attempts: Int
        /// Whether the user forced it.
        package var isForced: Bool

        package init(request: BackgroundTaskRequest, since: WallTime, attempts: Int, isForced: Bool = false) {
            self.request = request
            self.since = since
            self.attempts = attempts
            self.isForced = isForced
        }
    }

    package init(identifier: String) {
        self.identifier = identifier
    }

    /// Whether nothing is pending, owed, or running.
    package var isIdle: Bool { pending == nil && owed == nil && run == nil }

    /// When it became or becomes due; `nil` if no run is due. A forced run is due since the user forced it.
    package var date: WallTime? {
        if let owed, owed.isForced { return owed.since }
        return [owed?.since, pending?.date].compactMap { $0 }.min()
    }

    /// The request of the next run.
    package var nextRequest: BackgroundTaskRequest? { owed?.request ?? pending?.request }

    /// Whether it runs whatever its conditions are.
    package var isForced: Bool { pending?.isForced ?? false || owed?.isForced ?? false }
}
