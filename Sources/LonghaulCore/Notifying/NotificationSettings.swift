/// The notifications that the service shows about a session. A new session has none; its settings are stored with it.
public struct NotificationSettings: Equatable, Sendable {
    /// Which transfers share a notification.
    package enum Grouping: Equatable, Sendable {
        case session
        /// The transfers of one group; transfers without a group share one too.
        case group
    }

    /// The transfers that notifications cover, unless ``TransferOptions/showsNotifications`` is set.
    package enum Coverage: Equatable, Sendable {
        case all
        case chosen
    }

    /// The name of the app, as the user knows it.
    public var appName: String
    /// The name of an icon in the icon theme, or the absolute path of an image.
    public var icon: String? { didSet { icon = icon?.nonEmpty } }
    /// The name of the app's desktop file without `.desktop`.
    public var desktopEntry: String? { didSet { desktopEntry = desktopEntry?.nonEmpty } }
    /// The kinds of notifications to show. By default all except ``Kind/progress``.
    public var kinds: Set<Kind>
    package var grouping: Grouping
    package var coverage: Coverage
    /// Whether notifications appear even while the app has the session open. By default they do not: the app shows its own progress.
    public var showsWhileAppIsOpen: Bool
    /// The text by kind; English for a kind that is missing.
    public var wordings: [Kind: Wording]
    /// The labels of the buttons; English for an action that is missing.
    public var labels: [Action: String]

    /// Whether an app opens when the user clicks a notification. The command has no app to open.
    package var opensApp = true

    /// Creates the default settings of an app.
    public init(
        appName: String, icon: String? = nil, desktopEntry: String? = nil,
        kinds: Set<Kind> = [.handedOver, .finished, .failed, .interrupted, .needsYou]
    ) {
        self.appName = appName
        self.icon = icon?.nonEmpty
        self.desktopEntry = desktopEntry?.nonEmpty
        self.kinds = kinds
        grouping = .session
        coverage = .all
        showsWhileAppIsOpen = false
        wordings = [:]
        labels = [:]
    }

    /// Whether each group has its own notification. By default all transfers of the session share one.
    public var isPerGroup: Bool {
        get { grouping == .group }
        set { grouping = newValue ? .group : .session }
    }

    /// Whether notifications cover only transfers with ``TransferOptions/showsNotifications``. By default they cover all transfers.
    public var coversOnlyChosenTransfers: Bool {
        get { coverage == .chosen }
        set { coverage = newValue ? .chosen : .all }
    }

    package func wording(_ kind: NotificationKind) -> NotificationWording { wordings[kind] ?? .standard(kind) }

    /// Returns the label of a button. The English word for ending transfers names them: "Cancel" alone reads as "close this notification".
    package func label(
        _ action: NotificationAction, count: Int = 1, _ direction: TransferSnapshot.Direction? = nil
    ) -> String {
        if let label = labels[action] { return label }
        return switch action {
        case .open: "Open"
        case .pause: "Pause"
        case .resume: "Resume"
        case .cancel where count > 1: "Cancel Transfers"
        case .cancel:
            switch direction {
            case .download: "Cancel Download"
            case .upload: "Cancel Upload"
            case .request: "Cancel Request"
            case nil: "Cancel Transfer"
            }
        case .retry: "Retry"
        }
    }
}

/// Whether notifications cover a transfer.
package enum NotificationPreference: Equatable, Sendable {
    /// If the session's settings cover all transfers.
    case bySession
    case never
    /// If the session has settings.
    case always
}
