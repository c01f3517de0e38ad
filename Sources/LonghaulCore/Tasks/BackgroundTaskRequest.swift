/// A piece of work that an app wants to be started for, at a date or again and again (Apple: `BGTaskRequest`).
///
/// It is kept with the session. The app is told, or started, when the date has come and everything that the request
/// requires is there. A session has one pending request for each identifier: another one replaces it.
public struct BackgroundTaskRequest: Equatable, Sendable {
    /// What kind of work it is: it decides how long the handler may run.
    public enum Kind: Int, Equatable, Sendable, CaseIterable {
        /// Short: 30 s unless the session says otherwise (Apple: `BGAppRefreshTaskRequest`).
        case appRefresh = 0
        /// Some minutes: 10 unless the session says otherwise (Apple: `BGProcessingTaskRequest`).
        case processing = 1
    }

    /// The app's name for the task, such as `org.example.storms.noon`; its handler is declared by the same name.
    public var identifier: String
    /// What kind of work it is.
    public var kind: Kind
    /// Not before this date; `nil` for as soon as possible. A lower bound, as Apple's is. With `repeats` the first day on
    /// which the rule counts.
    public var earliestBeginDate: WallTime?
    /// Whether it waits for a network.
    public var requiresNetworkConnectivity: Bool
    /// Whether it waits for external power. Where nothing tells about power, it does not wait.
    public var requiresExternalPower: Bool
    /// When it comes again by itself; `nil` for once.
    public var repeats: CalendarRule?

    /// Describes a task.
    public init(
        _ kind: Kind, _ identifier: String, earliestBeginDate: WallTime? = nil, repeats: CalendarRule? = nil,
        requiresNetworkConnectivity: Bool = false, requiresExternalPower: Bool = false
    ) {
        self.identifier = identifier
        self.kind = kind
        self.earliestBeginDate = earliestBeginDate
        self.requiresNetworkConnectivity = requiresNetworkConnectivity
        self.requiresExternalPower = requiresExternalPower
        self.repeats = repeats
    }

    /// A short task, such as looking for what is new.
    public static func appRefresh(
        _ identifier: String, earliestBeginDate: WallTime? = nil, repeats: CalendarRule? = nil,
        requiresNetworkConnectivity: Bool = false, requiresExternalPower: Bool = false
    ) -> BackgroundTaskRequest {
        BackgroundTaskRequest(
            .appRefresh, identifier, earliestBeginDate: earliestBeginDate, repeats: repeats,
            requiresNetworkConnectivity: requiresNetworkConnectivity, requiresExternalPower: requiresExternalPower)
    }

    /// A task of some minutes, such as tidying up a database.
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

    /// What is wrong with it, before it is kept; `nil` when nothing is.
    package var refusal: TransferFailure? {
        if let refusal = Self.refusal(ofIdentifier: identifier) { return refusal }
        if let repeats, !repeats.isValid {
            return TransferFailure(
                .invalidArgument,
                "A time of day has an hour from 0 to 23, a minute from 0 to 59, and a weekday at least.")
        }
        if let earliestBeginDate, earliestBeginDate > Self.lastDate {
            return TransferFailure(.invalidArgument, "A task begins in the year 9999 at the latest.")
        }
        return nil
    }

    /// The end of the year 9999.
    private static let lastDate = WallTime(seconds: 253_402_300_799)

    /// Nothing is pending under an identifier.
    package static func unknown(_ identifier: String) -> TransferFailure {
        TransferFailure(
            .unknownTask,
            "No task \"\(identifier)\" is pending in this session. `longhaul tasks list` shows what there is.")
    }

    /// What is wrong with an identifier.
    package static func refusal(ofIdentifier identifier: String) -> TransferFailure? {
        let isFine =
            (1...identifierLimit).contains(identifier.utf8.count)
            && identifier.utf8.allSatisfy { $0 > 0x20 && $0 < 0x7F }
        return isFine
            ? nil
            : TransferFailure(
                .invalidArgument,
                "A task's identifier has 1 to \(identifierLimit) letters, digits and signs without spaces, such as org.example.noon."
            )
    }
}
