/// Something to be done about a notification, in the order given. Each is answered, by one `NotificationNews` at least.
package struct NotificationOrder: Equatable, Sendable {
    package enum Act: Equatable, Sendable {
        /// Show it, in place of what is there.
        case post(NotificationContent, NotificationHeadline, replacing: ShownNotification?)
        /// Take it away, on the screen or not.
        case close(ShownNotification?)
        /// An earlier process showed it: tell what a person does with it.
        case watch(ShownNotification)
    }

    package var key: NotificationKey
    package var act: Act

    package init(_ key: NotificationKey, _ act: Act) {
        self.key = key
        self.act = act
    }
}

/// What became of a notification.
package enum NotificationNews: Equatable, Sendable {
    /// It is on the screen, with this number of this server.
    case posted(NotificationHeadline, number: UInt32, server: String)
    /// The server does not want it.
    case refused(NotificationHeadline)
    /// There is no server. It is shown when one comes, unless something else is ordered.
    case held
    /// It was taken away, as ordered.
    case closed
    /// The server is not the one that showed it.
    case gone
    /// A person closed it, or it had its time.
    case seen
    case invoked(NotificationAction, activationToken: String)
}
