import Foundation
import LonghaulCore

/// What the system's scheduler is asked for, so that the app is started for the session's own tasks: one request of each kind, for the
/// earliest task of it. The system allows one refresh and ten of the others, and the session has any number.
struct ScheduledWork: Equatable {
    /// One request of the system's.
    struct Request: Equatable {
        /// Not before this date.
        var date: WallTime
        var requiresNetworkConnectivity: Bool
        var requiresExternalPower: Bool
    }

    var refresh: Request?
    var processing: Request?

    /// For the session's tasks as they stand.
    init(_ tasks: [BackgroundTaskStatus]) {
        refresh = Self.earliest(.appRefresh, tasks)
        processing = Self.earliest(.processing, tasks)
    }

    /// Of those that are due at the same time, the one that requires the least: it may run first.
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
    /// The same moment in the system's words.
    var date: Date { Date(timeIntervalSince1970: Double(microseconds) / 1_000_000) }
}
