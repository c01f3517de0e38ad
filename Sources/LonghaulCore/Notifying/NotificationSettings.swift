/// What a session tells a person, and how. Nothing is told until the app sets this. It is kept with the session.
public struct NotificationSettings: Equatable, Sendable {
    /// Which transfers share a notification.
    public enum Grouping: Int, Equatable, Sendable {
        /// All of the session.
        case session = 0
        /// Those of one group; those without a group share one as well.
        case group = 1
    }

    /// Which transfers are told of, unless ``TransferOptions/notifications`` says otherwise.
    public enum Coverage: Int, Equatable, Sendable {
        /// All of them.
        case all = 0
        /// Those that ask for it.
        case chosen = 1
    }

    /// The app's name, for a person to read.
    public var appName: String
    /// An icon's name in the icon theme, or the absolute path of an image; empty for none.
    public var icon: String
    /// The name of the app's desktop file without `.desktop`; empty for none.
    public var desktopEntry: String
    /// What is told. Default: everything but ``NotificationKind/progress``.
    public var kinds: Set<NotificationKind>
    /// Which transfers share a notification. Default: all of the session.
    public var grouping: Grouping
    /// Which transfers are told of. Default: all of them.
    public var coverage: Coverage
    /// Whether transfers are told of also while the app has the session open. Default `false`: the app shows them itself.
    public var showsWhileAppIsHere: Bool
    /// What is said, by kind; English where there is nothing.
    public var wordings: [NotificationKind: NotificationWording]
    /// What buttons say; English where there is nothing.
    public var labels: [NotificationAction: String]

    /// The defaults for an app.
    public init(
        appName: String, icon: String = "", desktopEntry: String = "",
        kinds: Set<NotificationKind> = [.handedOver, .finished, .failed, .interrupted, .needsYou]
    ) {
        self.appName = appName
        self.icon = icon
        self.desktopEntry = desktopEntry
        self.kinds = kinds
        grouping = .session
        coverage = .all
        showsWhileAppIsHere = false
        wordings = [:]
        labels = [:]
    }

    /// What is said, the app's own words first.
    package func wording(_ kind: NotificationKind) -> NotificationWording { wordings[kind] ?? .standard(kind) }

    package func label(_ action: NotificationAction) -> String {
        if let label = labels[action] { return label }
        return switch action {
        case .open: "Open"
        case .pause: "Pause"
        case .resume: "Resume"
        case .cancel: "Cancel"
        case .retry: "Try again"
        }
    }
}

/// Whether a transfer is told of in notifications.
public enum NotificationWish: Int, Equatable, Sendable {
    /// If the session's settings cover all transfers.
    case bySession = 0
    /// Never.
    case never = 1
    /// If the session has settings at all.
    case always = 2
}
