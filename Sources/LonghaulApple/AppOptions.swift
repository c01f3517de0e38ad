public import Longhaul

/// How a session lives in an app of an Apple system. Build the same options at every launch.
public struct AppOptions: Sendable {
    /// The app group whose container has the session, so that extensions can have it too; `nil` for the app's own container. In
    /// a group the session's lock is free while the app stands still, since the system ends an app that holds one there.
    public var appGroup: String?
    /// An absolute path in the place of the container's; `nil` for `Application Support/Longhaul` in it.
    public var directory: String?
    /// What the app does when it was started because its transfers have ended, in the time that the system lends: some
    /// twenty seconds.
    public var onEvents: (@Sendable (TransferSession) async -> Void)?
    /// Whether the session's notifications are shown, if it has `NotificationSettings`. The app asks the person for the permission. A
    /// delegate of the app's own for the notification center is set before the session is made, and goes on hearing of what is its own.
    public var showsNotifications = true

    /// The defaults.
    public init() {}
}
