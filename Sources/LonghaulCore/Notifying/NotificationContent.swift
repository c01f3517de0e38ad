/// A notification for the user, before it is adapted to the capabilities of a server.
package struct NotificationContent: Equatable, Sendable {
    package var appName: String
    package var icon: String?
    package var desktopEntry: String?
    package var title: String
    package var body: String
    /// In order; the first is the action of a click on the notification.
    package var actions: [NotificationAction]
    package var labels: [NotificationAction: String]
    package var kind: NotificationKind?
    /// Whether a pause now would lose bytes.
    package var losesBytesWhenPaused = false

    /// The combined progress of the transfers that share a notification.
    package struct Progress: Equatable, Sendable {
        /// Ended transfers, plus active ones by their fraction of bytes; in millionths.
        package var millionths: Int64
        /// Whether one of them cannot resume where a pause stops it.
        package var losesBytesWhenPaused: Bool

        package init(millionths: Int64, losesBytesWhenPaused: Bool = false) {
            self.millionths = millionths
            self.losesBytesWhenPaused = losesBytesWhenPaused
        }
    }

    /// Initializes the content of a headline about transfers. Settings are checked before they are stored, so a text that cannot be
    /// parsed comes from an older version, and is shown unchanged.
    package init(
        _ headline: NotificationHeadline, _ kind: NotificationKind, _ tally: NotificationTally,
        _ settings: NotificationSettings, _ progress: Progress
    ) {
        let ended = tally.finished + tally.failed
        let total = ended + tally.live
        let percent =
            total == 0 ? 0 : min(100, (Int64(ended) * 1_000_000 + progress.millionths) / (Int64(total) * 10_000))
        let subject = tally.subject(kind)
        let wording = settings.wording(kind)
        let text = headline.count == 1 ? wording.one : wording.several
        func fill(_ text: String) -> String {
            guard let template = try? NotificationTemplate(parsing: text) else { return text }
            return template.filled { placeholder in
                switch placeholder {
                case .name: subject?.name ?? ""
                case .host: subject?.host ?? ""
                case .reason: subject?.reason ?? ""
                case .count: String(headline.count)
                case .done: String(tally.finished)
                case .total: String(total)
                case .percent: String(percent)
                }
            }
        }
        self.init(settings, title: fill(text.title), body: fill(text.body))
        self.kind = kind
        losesBytesWhenPaused = progress.losesBytesWhenPaused
        labels[.cancel] = settings.label(.cancel, count: tally.live, subject?.direction)
        actions = Self.actions(kind, tally).filter { $0 != .open || settings.opensApp }
    }

    /// The question before an action that loses bytes. Its button confirms the action; closing the question changes nothing.
    package init(
        confirming action: NotificationAction, of subject: NotificationSubject?, count: Int,
        _ settings: NotificationSettings
    ) {
        let label = settings.label(action, count: count, subject?.direction)
        let name = count == 1 ? subject.map { NotificationTemplate.plain($0.name) } : nil
        let loss = action == .pause ? "cannot be resumed: a pause loses the progress" : "the progress is lost"
        self.init(settings, title: label + "?", body: "\(name ?? "\(count) transfers"): \(loss).")
        labels[action] = label
        actions.append(action)
    }

    /// Initializes the content of a notification of the app.
    package init(_ text: PlainNotification, _ settings: NotificationSettings) {
        self.init(settings, title: text.title, body: text.body ?? "")
    }

    private init(_ settings: NotificationSettings, title: String, body: String) {
        appName = settings.appName
        icon = settings.icon
        desktopEntry = settings.desktopEntry
        self.title = title
        self.body = body
        actions = settings.opensApp ? [.open] : []
        labels = Dictionary(uniqueKeysWithValues: NotificationAction.allCases.map { ($0, settings.label($0)) })
    }

    /// Returns the user's actions for a kind of notification.
    static func actions(_ kind: NotificationKind, _ tally: NotificationTally) -> [NotificationAction] {
        switch kind {
        case .handedOver, .progress: [.open, .pause, .cancel]
        case .paused: [.open, .resume, .cancel]
        case .finished: [.open]
        case .failed: [.open, .retry]
        case .interrupted: tally.paused > 0 ? [.open, .resume, .cancel] : [.open]
        case .needsYou: [.open, .retry, .cancel]
        }
    }
}

extension NotificationTally {
    /// Returns the transfer that a text of this kind names.
    package func subject(_ kind: NotificationKind) -> NotificationSubject? {
        switch kind {
        case .finished: subjects.finished
        case .failed: subjects.failed
        case .needsYou: subjects.needing
        case .handedOver, .progress, .interrupted, .paused: subjects.moving
        }
    }
}

/// A notification in the form of `org.freedesktop.Notifications`, adapted to the server's capabilities (Desktop Notifications
/// Specification 1.2, `GetCapabilities`).
package struct NotificationForm: Equatable, Sendable {
    package var summary: String
    package var body: String
    /// Keys and labels in turn.
    package var actions: [String]
    package var category: String
    /// 0 is low, 1 is normal.
    package var urgency: UInt8
    /// -1 is the server's default, 0 never expires.
    package var timeout: Int32
    package var isSilent: Bool

    package init(_ content: NotificationContent, capabilities: Set<String>, isUpdate: Bool) {
        let showsBody = capabilities.contains("body")
        summary = showsBody || content.body.isEmpty ? content.title : content.title + ": " + content.body
        body = showsBody ? (capabilities.contains("body-markup") ? Self.escaped(content.body) : content.body) : ""
        // A server without buttons may still report a click on the notification itself.
        let offered = content.actions.filter { capabilities.contains("actions") || $0 == .open }
        actions = offered.flatMap { [$0.key, content.labels[$0] ?? ""] }
        category =
            switch content.kind {
            case .finished: "transfer.complete"
            case .failed: "transfer.error"
            case .handedOver, .progress, .interrupted, .needsYou, .paused: "transfer"
            case nil: ""
            }
        let isProgress = content.kind == .progress
        urgency = isProgress ? 0 : 1
        timeout = isProgress || content.kind == .paused ? 0 : -1
        isSilent = isProgress && isUpdate
    }

    /// Escapes the characters with a meaning in markup.
    static func escaped(_ text: String) -> String {
        text.reduce(into: "") { result, character in
            switch character {
            case "&": result += "&amp;"
            case "<": result += "&lt;"
            case ">": result += "&gt;"
            case "\"": result += "&quot;"
            case "'": result += "&#39;"
            default: result.append(character)
            }
        }
    }
}
