/// What a person is told of a session, also when its app is gone.
extension TransferSession {
    /// Sets what the service tells a person of this session, and how; `nil` for nothing, which is what a new session
    /// tells. It is kept with the session.
    ///
    /// ```swift
    /// var notifications = NotificationSettings(appName: "Photos", icon: "org.example.Photos", desktopEntry: "org.example.Photos")
    /// // In the person's own language, German here. What is not given is said in English.
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

    /// Shows a notification of the app's own, now or at a date (Apple: `UNUserNotificationCenter.add`). When this returns, the
    /// notification is on disk and no longer needs the app. A later one with the same identifier replaces it, shown or not.
    ///
    /// Call ``setNotifications(_:)`` first, which says whose notifications these are; without it this fails with `invalidState`. A
    /// tap is one of the session's ``events`` and starts the app if need be.
    public func notify(_ notification: PlainNotification) async throws(TransferFailure) {
        _ = try await backend.notifications(.post(notification))
    }

    /// Withdraws a notification of the app's own, shown or not. An unknown identifier is no error.
    public func withdrawNotification(_ identifier: String) async throws(TransferFailure) {
        _ = try await backend.notifications(.withdraw(identifier))
    }

    /// What is told, what waits to be shown, and whether there is a program that shows it.
    package func notificationStatus() async throws(TransferFailure) -> NotificationStatus {
        try await backend.notifications(.status)
    }
}
