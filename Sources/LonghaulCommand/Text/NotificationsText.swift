import LonghaulCore

/// How a session stands with its notifications, for a person to read.
struct NotificationsText {
    let status: NotificationStatus

    var lines: [String] {
        guard let settings = status.settings else {
            return [DisplayText.fit("Notifications", 14) + "none: the app has not asked for any"]
        }
        let kinds = settings.kinds.map(\.word).sorted().joined(separator: ", ")
        var rows = [("Notifications", "as \(settings.appName): " + (kinds.isEmpty ? "its own only" : kinds))]
        let pending = status.pending.isEmpty ? "" : ", \(status.pending.count) to come"
        let server = status.lacksServer ? ", waiting for a program that shows them" : ""
        rows.append(("", "\(status.shown) shown" + pending + server))
        return rows.map { DisplayText.fit($0.0, 14) + DisplayText.clean($0.1) }
    }
}

extension JSONWriter {
    /// The members of a session's notification status.
    mutating func members(of status: NotificationStatus) {
        member("appName", status.settings?.appName)
        member("kinds", status.settings.map { $0.kinds.map(\.word).sorted().joined(separator: " ") })
        member("shown", status.shown)
        member("pending", status.pending.count)
        member("lacksServer", status.lacksServer)
    }
}

extension NotificationKind {
    fileprivate var word: String {
        switch self {
        case .handedOver: "handedOver"
        case .progress: "progress"
        case .finished: "finished"
        case .failed: "failed"
        case .interrupted: "interrupted"
        case .needsYou: "needsYou"
        case .paused: "paused"
        }
    }
}
