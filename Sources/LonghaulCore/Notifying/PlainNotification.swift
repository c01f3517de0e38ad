/// A notification that says what the app says (Apple: `UNNotificationRequest`).
public struct PlainNotification: Equatable, Sendable {
    /// The app's own name for it; a later one of the same name takes its place.
    public var identifier: String
    /// One line, as it is: without placeholders.
    public var title: String
    /// One or a few lines; may be empty.
    public var body: String
    /// When it is shown; `nil` for at once. A date that passes while nothing runs is made up for at the next chance.
    public var deliverAt: WallTime?
    /// The transfer it is about, given back with a tap.
    public var transfer: TransferID?

    /// Says something.
    public init(
        _ identifier: String, title: String, body: String = "", deliverAt: WallTime? = nil, transfer: TransferID? = nil
    ) {
        self.identifier = identifier
        self.title = title
        self.body = body
        self.deliverAt = deliverAt
        self.transfer = transfer
    }
}

/// A click on a notification that is for the app.
public struct NotificationTap: Equatable, Sendable {
    /// The identifier of a ``PlainNotification``; for one about transfers `transfers`, or `transfers/GROUP`.
    public var identifier: String
    /// What it said about transfers; `nil` for a ``PlainNotification``.
    public var kind: NotificationKind?
    /// The newest transfer it was about, if it was about one.
    public var transfer: TransferID?
    /// What the desktop gave for bringing a window to the front (`XDG_ACTIVATION_TOKEN`); empty for nothing. It is of use
    /// for seconds only.
    public var activationToken: String

    /// Describes a click.
    package init(
        identifier: String, kind: NotificationKind? = nil, transfer: TransferID? = nil, activationToken: String = ""
    ) {
        self.identifier = identifier
        self.kind = kind
        self.transfer = transfer
        self.activationToken = activationToken
    }
}

/// What a session can be asked about its notifications. Each is answered by the status after it.
package enum NotificationRequest: Equatable, Sendable {
    case status
    /// `nil`: nothing is told any more.
    case set(NotificationSettings?)
    case post(PlainNotification)
    /// Takes one back, shown or not.
    case withdraw(String)
}

/// How a session stands with its notifications.
package struct NotificationStatus: Equatable, Sendable {
    /// What is told; `nil` for nothing.
    package var settings: NotificationSettings?
    /// The app's own notifications that are still to be shown.
    package var pending: [PlainNotification]
    /// How many notifications a person can see, as far as is known.
    package var shown: Int
    /// Whether some wait because no program of the desktop shows notifications.
    package var lacksServer: Bool

    /// Nothing.
    package init() {
        pending = []
        shown = 0
        lacksServer = false
    }
}
