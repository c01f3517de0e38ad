extension TransferSession {
    /// Stores which notifications the service shows about this session; `nil` for none, the default.
    ///
    /// ```swift
    /// var notifications = NotificationSettings(
    ///     appName: "Photos", icon: "org.example.Photos", desktopEntry: "org.example.Photos")
    /// // German texts; a kind without a wording has an English text.
    /// notifications.wordings[.finished] = .init("{name} ist da", severalTitle: "{count} Bilder sind da")
    /// try await session.setNotifications(notifications)
    /// ```
    ///
    /// Fails with `invalidArgument` for a text with an unknown placeholder; the message lists the known ones. If the desktop has no
    /// notification server, the service shows the notifications when one starts.
    public func setNotifications(_ settings: NotificationSettings?) async throws(TransferFailure) {
        _ = try await backend.notifications(.set(settings))
    }

    /// Shows a notification of the app, now or at a later time (Apple: `UNUserNotificationCenter.add`).
    ///
    /// When this returns, the notification is stored on disk and does not need the app. A later one with the same identifier replaces
    /// it. Call ``setNotifications(_:)`` first; otherwise this fails with `invalidState`. A click on the notification is one of the
    /// session's ``events`` and starts the app if necessary.
    public func notify(_ notification: LocalNotification) async throws(TransferFailure) {
        _ = try await backend.notifications(.post(notification))
    }

    /// Withdraws a notification of the app, shown or pending. An unknown identifier is not an error.
    public func withdrawNotification(_ identifier: String) async throws(TransferFailure) {
        _ = try await backend.notifications(.withdraw(identifier))
    }

    /// Returns the settings, the pending notifications, and whether a notification server runs.
    package func notificationStatus() async throws(TransferFailure) -> NotificationStatus {
        try await backend.notifications(.status)
    }
}
