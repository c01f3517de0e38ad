/// A request concerning a notification. Requests are performed in order, and each is answered by at least one `NotificationEvent`.
package struct NotificationOrder: Equatable, Sendable {
    package enum Act: Equatable, Sendable {
        /// Show it, and replace the given one.
        case post(NotificationContent, NotificationHeadline, replacing: ShownNotification?)
        /// Close it, whether it is shown or not.
        case close(ShownNotification?)
        /// Report the user's actions on it; an earlier process showed it.
        case watch(ShownNotification)
    }

    package var key: NotificationKey
    package var act: Act

    package init(_ key: NotificationKey, _ act: Act) {
        self.key = key
        self.act = act
    }
}

/// A change of a notification.
package enum NotificationEvent: Equatable, Sendable {
    /// It is shown, with this number of this server.
    case posted(NotificationHeadline, number: UInt32, server: String)
    /// The server refused it.
    case refused(NotificationHeadline)
    /// No server is running. It is shown when one starts, unless another request replaces it.
    case held
    /// It was closed, as requested.
    case closed
    /// The server that showed it has exited.
    case gone
    /// The user closed it, or it expired.
    case seen
    case invoked(NotificationAction, activationToken: String)
}
