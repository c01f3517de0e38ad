/// The kinds of notifications about transfers.
public enum NotificationKind: Int, Hashable, Sendable, CaseIterable {
    /// The app has left and its transfers go on without it.
    case handedOver = 0
    /// Transfers are under way; replaced at most once a second.
    case progress = 1
    /// Transfers have succeeded, and no other is under way.
    case finished = 2
    /// Transfers have failed.
    case failed = 3
    /// The app that ran the transfers was ended by force.
    case interrupted = 4
    /// Transfers wait for something that only a person can do.
    case needsYou = 5
    /// Transfers were paused from a notification. It needs no asking for: it is where they are resumed.
    case paused = 6
}

/// What a person can do with a notification.
public enum NotificationAction: Int, Hashable, Sendable, CaseIterable {
    /// Opens the app: a click on the notification itself. Every notification has it.
    case open = 0
    /// Pauses what is under way.
    case pause = 1
    /// Resumes what is paused.
    case resume = 2
    /// Cancels what has not ended.
    case cancel = 3
    /// Tries again what has failed or waits for a person.
    case retry = 4

    /// Its name on the bus; a click on the notification itself is `default` (Desktop Notifications Specification).
    package var key: String {
        switch self {
        case .open: "default"
        case .pause: "pause"
        case .resume: "resume"
        case .cancel: "cancel"
        case .retry: "retry"
        }
    }

    package init?(key: String) {
        guard let action = Self.allCases.first(where: { $0.key == key }) else { return nil }
        self = action
    }
}

/// A title and a body, with placeholders: `{name}` of the newest transfer it is about, `{host}`, `{reason}`; `{count}` of
/// transfers it is about; `{done}` and `{total}` transfers, `{percent}` of them all. A brace is written twice.
public struct NotificationText: Hashable, Sendable {
    /// One line.
    public var title: String
    /// One or a few lines; may be empty.
    public var body: String

    /// Takes both.
    public init(_ title: String, body: String = "") {
        self.title = title
        self.body = body
    }
}

/// What a notification says about one transfer, and about several.
public struct NotificationWording: Hashable, Sendable {
    /// About one.
    public var one: NotificationText
    /// About several; `{count}` says how many.
    public var several: NotificationText

    /// Takes both.
    public init(one: NotificationText, several: NotificationText) {
        self.one = one
        self.several = several
    }

    /// What is said, in English, where the app says nothing of its own.
    public static func standard(_ kind: NotificationKind) -> NotificationWording {
        switch kind {
        case .handedOver:
            NotificationWording(
                one: NotificationText("Going on in the background", body: "{name}"),
                several: NotificationText("Going on in the background", body: "{count} transfers"))
        case .progress:
            NotificationWording(
                one: NotificationText("{name}", body: "{percent}% · {done} of {total} done"),
                several: NotificationText("{count} transfers under way", body: "{percent}% · {done} of {total} done"))
        case .finished:
            NotificationWording(
                one: NotificationText("Finished", body: "{name}"),
                several: NotificationText("{count} transfers finished", body: "The last one: {name}"))
        case .failed:
            NotificationWording(
                one: NotificationText("{name} failed", body: "{reason}"),
                several: NotificationText("{count} transfers failed", body: "The last one: {name}. {reason}"))
        case .interrupted:
            NotificationWording(
                one: NotificationText("A transfer was interrupted", body: "{name}"),
                several: NotificationText("{count} transfers were interrupted", body: "The app was ended."))
        case .needsYou:
            NotificationWording(
                one: NotificationText("{name} needs you", body: "{reason}"),
                several: NotificationText("{count} transfers need you", body: "The last one: {name}. {reason}"))
        case .paused:
            NotificationWording(
                one: NotificationText("Paused", body: "{name}"),
                several: NotificationText("{count} transfers paused"))
        }
    }
}
