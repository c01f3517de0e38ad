public import Longhaul

/// Options of a session in an app for an Apple system. Use the same options at every launch.
public struct AppOptions: Sendable {
    /// The app group whose container holds the session. `nil` uses the app's own container. A session of an app extension needs a
    /// group, and an identifier that the app does not use: the system refuses a background session that another process uses. In
    /// a group container, a suspended app releases the session's lock, because the system kills an app that holds one.
    public var appGroup: String?
    /// An absolute path that replaces `Application Support/Longhaul` in the container. `nil` uses the container.
    public var directory: String?
    /// A closure that runs when the system starts the app because its transfers have ended. It has about twenty seconds, and is then
    /// cancelled.
    public var onEvents: (@Sendable (TransferSession) async -> Void)?
    /// Whether the app shows the notifications of a session with `NotificationSettings`. The app requests the user's permission, and
    /// calls ``AppSession/becomeNotificationDelegate()``.
    public var showsNotifications = true

    /// The defaults.
    public init() {}
}
