import LonghaulCore

/// The notifications of a session, for the user.
struct NotificationsText {
    let status: NotificationStatus

    var lines: [String] {
        guard let settings = status.settings else {
            return [DisplayText.fit(tr("Notifications"), 14) + tr("off: the app has not enabled them")]
        }
        let kinds = settings.kinds.map(\.word).sorted().joined(separator: ", ")
        let shownKinds = kinds.isEmpty ? tr("only those of the app") : kinds
        var rows = [(tr("Notifications"), tr("as \(settings.appName): \(shownKinds)"))]
        var counts = [tr("\(status.shown) shown")]
        if !status.pending.isEmpty { counts.append(tr("\(status.pending.count) scheduled")) }
        if status.lacksServer { counts.append(tr("waiting for a notification server")) }
        rows.append(("", counts.joined(separator: ", ")))
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
