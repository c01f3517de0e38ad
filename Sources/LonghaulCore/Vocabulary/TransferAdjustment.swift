/// A change of one transfer that exists: what is `nil` stays as it is.
package struct TransferAdjustment: Equatable, Sendable {
    /// Where a download goes.
    package struct Destination: Equatable, Sendable {
        /// The absolute path of an existing directory.
        package var directory: String
        /// Another name; `nil` leaves the one it has.
        package var fileName: String?
        /// As in ``DownloadSpec/mountPoint``.
        package var mountPoint: String?

        package init(directory: String, fileName: String?) {
            self.directory = directory
            self.fileName = fileName
        }
    }

    /// Another limit, in bytes a second: 0 lifts the one it has.
    package var rateLimit: Int64?
    /// Whether it goes on whatever the conditions are, its date, its hours and the data budget included.
    package var ignoresConditions: Bool?
    package var priority: Int?
    /// The date before which it does not begin; one that is past lets it begin.
    package var earliestBeginDate: WallTime?
    package var retryLimit: Int?
    /// The whole time that it may take, from the change on or from its date, whichever is later.
    package var timeoutIntervalForResource: Duration?
    /// How long it may go without a byte; zero for any time.
    package var progressTimeout: Duration?
    package var destination: Destination?
    /// Another group; empty for none.
    package var group: String?
    /// Whether the user waits for it from now on (`TransferOptions.isAttended`).
    package var makesAttended = false
    /// Whether it is retried as well. If that is refused, nothing changes.
    package var retries = false

    package init(rateLimit: Int64? = nil, ignoresConditions: Bool? = nil, priority: Int? = nil) {
        self.rateLimit = rateLimit
        self.ignoresConditions = ignoresConditions
        self.priority = priority
    }

    /// The priorities that there are.
    package static let priorities = -1_000_000...1_000_000

    /// What is wrong with it, if anything is.
    package var refusal: TransferFailure? {
        if let priority, !Self.priorities.contains(priority) {
            return TransferFailure(.invalidArgument, "A priority is a number from -1000000 to 1000000.")
        }
        if let rateLimit, rateLimit < 0 {
            return TransferFailure(.invalidArgument, "A rate is a number of bytes a second; 0 lifts the limit.")
        }
        if let retryLimit, retryLimit < 0 {
            return TransferFailure(.invalidArgument, "A transfer is tried again 0 times or more.")
        }
        if let timeoutIntervalForResource, timeoutIntervalForResource <= .zero {
            return TransferFailure(
                .invalidArgument, "The time that a transfer may take is not negative, and not nothing.")
        }
        return nil
    }
}
