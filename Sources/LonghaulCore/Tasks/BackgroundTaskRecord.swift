/// Everything durable about one task.
package struct BackgroundTaskRecord: Equatable, Sendable {
    package var identifier: String
    package var pending: Pending?
    package var owed: Owed?
    package var run: BackgroundTaskRun?
    package var last: BackgroundTaskResult?
    /// The number of the newest run.
    package var runs: Int64 = 0
    /// The last local date on which its calendar rule was served.
    package var doneDay: LocalDay?

    /// What was submitted and has not begun.
    package struct Pending: Equatable, Sendable {
        package var request: BackgroundTaskRequest
        /// Not before this date.
        package var date: WallTime
        /// Whether it is to run at once, whatever holds others back.
        package var isForced: Bool

        package init(request: BackgroundTaskRequest, date: WallTime, isForced: Bool = false) {
            self.request = request
            self.date = date
            self.isForced = isForced
        }
    }

    /// A run whose process was lost: its occasion is still to be served.
    package struct Owed: Equatable, Sendable {
        package var request: BackgroundTaskRequest
        package var since: WallTime
        /// Runs that were begun for it.
        package var attempts: Int

        package init(request: BackgroundTaskRequest, since: WallTime, attempts: Int) {
            self.request = request
            self.since = since
            self.attempts = attempts
        }
    }

    package init(identifier: String) {
        self.identifier = identifier
    }

    /// Whether nothing will happen with it by itself.
    package var isIdle: Bool { pending == nil && owed == nil && run == nil }

    /// Since when it could run; a date ahead when it cannot yet. `nil` when nothing is to run.
    package var date: WallTime? {
        [owed?.since, pending?.date].compactMap { $0 }.min()
    }

    /// What runs next.
    package var nextRequest: BackgroundTaskRequest? { owed?.request ?? pending?.request }

    /// Whether it runs whatever holds others back.
    package var isForced: Bool { pending?.isForced ?? false }
}
