package typealias PlainNotification = LocalNotification

/// A notification with the app's own text (Apple: `UNNotificationRequest`).
public struct LocalNotification: Equatable, Sendable {
    /// The app's own name for the notification. A later one with the same identifier replaces it.
    public var identifier: String
    /// One line of text, without placeholders.
    package var title: String
    /// One line of text or more.
    package var body: String? { didSet { body = body?.nonEmpty } }
    /// The time of delivery; `nil` for now. If no service runs at that time, the notification appears when one starts.
    package var deliverAt: WallTime?
    /// The transfer that the notification is about. It is part of the event for a click.
    public var transfer: TransferID?

    /// Creates a notification.
    public init(
        _ identifier: String, title: String, body: String? = nil, deliverAt: WallTime? = nil,
        transfer: TransferID? = nil
    ) {
        self.identifier = identifier
        self.title = title
        self.body = body?.nonEmpty
        self.deliverAt = deliverAt
        self.transfer = transfer
    }
}

extension SessionEvent {
    /// A click on a notification.
    public struct NotificationTap: Equatable, Sendable {
        /// The identifier of a ``LocalNotification``; for one about transfers `transfers`, or `transfers/GROUP`.
        public var identifier: String
        /// What it said about transfers; `nil` for a ``LocalNotification``.
        package var kind: NotificationSettings.Kind?
        /// The newest transfer it was about, if it was about one.
        public var transfer: TransferID?
        /// The desktop's token for bringing a window to the front (`XDG_ACTIVATION_TOKEN`). It expires after some seconds.
        public var activationToken: String? { didSet { activationToken = activationToken?.nonEmpty } }

        /// Describes a click.
        package init(
            identifier: String, kind: NotificationKind? = nil, transfer: TransferID? = nil,
            activationToken: String? = nil
        ) {
            self.identifier = identifier
            self.kind = kind
            self.transfer = transfer
            self.activationToken = activationToken?.nonEmpty
        }
    }
}

package typealias NotificationTap = SessionEvent.NotificationTap

/// A request about a session's notifications. The reply is their status after the request.
package enum NotificationRequest: Equatable, Sendable {
    case status
    /// `nil` turns notifications off.
    case set(NotificationSettings?)
    case post(PlainNotification)
    /// Withdraws a notification, shown or not.
    case withdraw(String)
}

/// The status of a session's notifications.
package struct NotificationStatus: Equatable, Sendable {
    /// The settings; `nil` if notifications are off.
    package var settings: NotificationSettings?
    /// The app's notifications that have not been shown yet.
    package var pending: [PlainNotification]
    /// The number of notifications that the user can see, as far as is known.
    package var shown: Int
    /// Whether some wait because no notification server is running.
    package var lacksServer: Bool

    /// Notifications are off.
    package init() {
        pending = []
        shown = 0
        lacksServer = false
    }
}
