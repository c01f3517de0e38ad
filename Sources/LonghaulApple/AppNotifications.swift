public import UserNotifications

/// The user's responses to notifications of a session.
extension AppSession {
    /// Makes Longhaul the delegate of the notification center. A tap on a notification of a session is then one of the session's events,
    /// and the notifications also appear while the app is in the foreground.
    ///
    /// Call it before the launch of the app ends, because the system then delivers the tap that launched the app. If the app has its
    /// own delegate, set that one first: it still receives the calls about all other notifications. An app that sets its delegate afterwards
    /// calls ``receive(_:)`` and ``presentation(of:)`` from it, and does not need this call.
    ///
    /// Has no effect in a process that is not an app, where the notification center raises an exception.
    public func becomeNotificationDelegate() {
        if surroundings.bundleIdentifier != nil { surroundings.presenter.becomeDelegate() }
    }

    /// Processes a tap, for an app with its own delegate of the notification center. Call it in
    /// `userNotificationCenter(_:didReceive:withCompletionHandler:)`.
    ///
    /// - Returns: Whether the notification is one of a session. Otherwise, it is the app's own.
    @discardableResult
    public func receive(_ response: UNNotificationResponse) -> Bool {
        surroundings.presenter.receiveTap(response)
    }

    /// Returns how a notification appears while the app is in the foreground, for an app with its own delegate of the notification center.
    /// Call it in `userNotificationCenter(_:willPresent:withCompletionHandler:)`. `nil` if the notification is the app's own.
    public func presentation(of notification: UNNotification) -> UNNotificationPresentationOptions? {
        NotificationPresenter.isOurs(notification) ? NotificationPresenter.presentation : nil
    }
}
