/// What a person is told of a session, also when its app is gone.
extension TransferSession {
    /// Sets what the service tells a person of this session, and how; `nil` for nothing, which is what a new session
    /// tells. It is kept with the session.
    ///
    /// ```swift
    /// var notifications = NotificationSettings(appName: "Photos", icon: "org.example.Photos", desktopEntry: "org.example.Photos")
    /// notifications.wordings[.finished] = NotificationWording(
    ///     one: NotificationText("{name} ist da"), several: NotificationText("{count} Bilder sind da"))
    /// try await session.setNotifications(notifications)
    /// ```
    ///
    /// Fails with `invalidArgument` for a text with an unknown placeholder, and says which are known. A desktop without
    /// notifications is no error: they are shown when a program is there that can.
    public func setNotifications(_ settings: NotificationSettings?) async throws(TransferFailure) {
        _ = try await backend.notifications(.set(settings))
    }

    /// Tells a person something, now or at a date (Apple: `UNUserNotificationCenter.add`). It returns when that is on disk; from
    /// then on it does not need the app. What is posted with the same identifier takes its place, shown or not.
    ///
    /// It takes ``setNotifications(_:)`` first, which says whose notifications these are; without it fails with
    /// `invalidState`. A tap comes among the session's ``events`` and starts the app if need be.
    public func notify(_ notification: PlainNotification) async throws(TransferFailure) {
        _ = try await backend.notifications(.post(notification))
    }

    /// Takes a notification of the app's own back, shown or not. None with that identifier is fine.
    public func withdrawNotification(_ identifier: String) async throws(TransferFailure) {
        _ = try await backend.notifications(.withdraw(identifier))
    }

    /// What is told, what waits to be shown, and whether there is a program that shows it.
    public func notificationStatus() async throws(TransferFailure) -> NotificationStatus {
        try await backend.notifications(.status)
    }
}
