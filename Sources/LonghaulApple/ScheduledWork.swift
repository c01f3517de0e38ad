import Foundation
import LonghaulCore

/// The requests to the system's scheduler that start the app for the session's own tasks: one request of each kind, for the earliest task
/// of that kind. The system allows one refresh request and ten others; a session can have any number of tasks.
struct ScheduledWork: Equatable {
    /// One request to the system.
    struct Request: Equatable {
        /// The earliest time of the start.
        var date: WallTime
        var requiresNetworkConnectivity: Bool
        var requiresExternalPower: Bool
    }

    var refresh: Request?
    var processing: Request?

    /// Derives the requests from the session's tasks.
    init(_ tasks: [BackgroundTaskStatus]) {
        refresh = Self.earliest(.appRefresh, tasks)
        processing = Self.earliest(.processing, tasks)
    }

    /// Returns the earliest task. Of tasks due at the same time, it is the one with the fewest requirements, which may run first.
    private static func earliest(_ kind: BackgroundTaskRequest.Kind, _ tasks: [BackgroundTaskStatus]) -> Request? {
        let requests = tasks.compactMap { task -> Request? in
            guard let request = task.request, request.kind == kind, let date = task.nextDate else { return nil }
            return Request(
                date: date, requiresNetworkConnectivity: request.requiresNetworkConnectivity,
                requiresExternalPower: request.requiresExternalPower)
        }
        return requests.min { ($0.date, $0.demands) < ($1.date, $1.demands) }
    }
}

extension ScheduledWork.Request {
    fileprivate var demands: Int {
        (requiresNetworkConnectivity ? 1 : 0) + (requiresExternalPower ? 1 : 0)
    }
}

extension WallTime {
    /// The same time as a `Date`.
    var date: Date { Date(timeIntervalSince1970: Double(microseconds) / 1_000_000) }
}
