/// Work that an app is started for, once or repeatedly (Apple: `BGTaskRequest`).
///
/// The session stores the request. When its time has come and its requirements are met, the session runs the app's handler, and
/// the service starts the app first if necessary. A session has one pending request for each identifier.
public struct BackgroundTaskRequest: Equatable, Sendable {
    /// The kind of work, which decides how long the handler may run.
    package enum Kind: Equatable, Sendable, CaseIterable {
        /// Work of seconds: 30 at most (Apple: `BGAppRefreshTaskRequest`).
        case appRefresh
        /// Work of minutes: 10 at most (Apple: `BGProcessingTaskRequest`).
        case processing
    }

    /// The app's name for the task, such as `org.example.storms.noon`. The handler is registered under the same name.
    public var identifier: String
    /// The kind of work.
    package var kind: Kind
    /// The earliest time for the task; `nil` for as soon as possible. With `repeats`, the first day on which the rule applies.
    public var earliestBeginDate: WallTime?
    /// Whether the task waits for a network.
    public var requiresNetworkConnectivity: Bool
    /// Whether the task waits for external power. It does not wait if the machine reports nothing about power.
    public var requiresExternalPower: Bool
    /// When the task repeats; `nil` for once.
    public var repeats: CalendarRule?

    package init(
        _ kind: Kind, _ identifier: String, earliestBeginDate: WallTime? = nil, repeats: CalendarRule? = nil,
        requiresNetworkConnectivity: Bool = false, requiresExternalPower: Bool = false
    ) {
        self.identifier = identifier
        self.kind = kind
        self.earliestBeginDate = earliestBeginDate
        self.repeats = repeats
        self.requiresNetworkConnectivity = requiresNetworkConnectivity
        self.requiresExternalPower = requiresExternalPower
    }

    /// Unavailable: a request is for a task of seconds or for one of minutes.
    @available(*, unavailable, message: "Call .appRefresh(identifier) or .processing(identifier).")
    public init(identifier: String) { self = .appRefresh(identifier) }

    /// Returns a request for a short task, such as checking for updates.
    public static func appRefresh(
        _ identifier: String, earliestBeginDate: WallTime? = nil, repeats: CalendarRule? = nil,
        requiresNetworkConnectivity: Bool = false, requiresExternalPower: Bool = false
    ) -> BackgroundTaskRequest {
        BackgroundTaskRequest(
            .appRefresh, identifier, earliestBeginDate: earliestBeginDate, repeats: repeats,
            requiresNetworkConnectivity: requiresNetworkConnectivity, requiresExternalPower: requiresExternalPower)
    }

    /// Returns a request for a task of some minutes, such as cleaning up a database.
    public static func processing(
        _ identifier: String, earliestBeginDate: WallTime? = nil, repeats: CalendarRule? = nil,
        requiresNetworkConnectivity: Bool = false, requiresExternalPower: Bool = false
    ) -> BackgroundTaskRequest {
        BackgroundTaskRequest(
            .processing, identifier, earliestBeginDate: earliestBeginDate, repeats: repeats,
            requiresNetworkConnectivity: requiresNetworkConnectivity, requiresExternalPower: requiresExternalPower)
    }
}

extension BackgroundTaskRequest {
    /// How many bytes an identifier may have.
    private static let identifierLimit = 255

    /// Why it is invalid; `nil` if it is valid.
    package var refusal: TransferFailure? {
        if let refusal = Self.refusal(ofIdentifier: identifier) { return refusal }
        if let repeats, !repeats.isValid {
            return TransferFailure(
                .invalidArgument,
                "A calendar rule must have an hour from 0 to 23, a minute from 0 to 59, and at least one weekday.")
        }
        if let earliestBeginDate, earliestBeginDate > Self.lastDate {
            return TransferFailure(.invalidArgument, "The start time of a task must not be after the year 9999.")
        }
        return nil
    }

    /// The end of the year 9999.
    private static let lastDate = WallTime(seconds: 253_402_300_799)

    /// Returns the failure for an identifier without a pending task.
    package static func unknown(_ identifier: String) -> TransferFailure {
        TransferFailure(
            .unknownTask,
            "No task \"\(identifier)\" is pending in this session. To list the tasks, run longhaul tasks list.")
    }

    /// Returns why an identifier is invalid.
    package static func refusal(ofIdentifier identifier: String) -> TransferFailure? {
        let isFine =
            (1...identifierLimit).contains(identifier.utf8.count)
            && OutgoingText.isPrintable(identifier, withSpaces: false)
        return isFine
            ? nil
            : TransferFailure(
                .invalidArgument,
                "A task identifier must have 1 to \(identifierLimit) letters, digits, and punctuation marks without spaces, such as org.example.noon."
            )
    }
}
