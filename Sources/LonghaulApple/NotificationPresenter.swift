package import Foundation
package import LonghaulCore
import Synchronization
package import UserNotifications

/// Shows the notifications of this process's sessions, and reports the user's responses.
package final class NotificationPresenter: NSObject, UNUserNotificationCenterDelegate, Sendable {
    package typealias Sink = @Sendable (NotificationEvent) -> Void

    /// The presenter of this process.
    package static let ofProcess = NotificationPresenter()

    private struct State {
        var sinks: [String: Sink] = [:]
        /// Taps that arrived before the notification was known to this process.
        var early: [String: NotificationEvent] = [:]
        /// The app's own delegate, which gets all calls about other notifications.
        var next: WeakDelegate?
    }

    /// `@unchecked Sendable`: the delegate is only called, as the center calls it, from the thread of its call.
    private struct WeakDelegate: @unchecked Sendable {
        weak var object: (any UNUserNotificationCenterDelegate)?
    }

    private let state = Mutex(State())

    private static let prefix = "longhaul/"
    /// How the notifications appear while the app is in the foreground.
    static let presentation: UNNotificationPresentationOptions = [.banner, .list]

    /// Returns the notification's identifier in the system: a later one with the same identifier replaces it.
    static func name(_ session: SessionID, _ key: NotificationKey) -> String {
        prefix + session.description + "/" + key.name
    }

    /// Becomes the center's delegate; the present delegate gets the calls about other notifications.
    func becomeDelegate() {
        let center = UNUserNotificationCenter.current()
        guard center.delegate !== self else { return }
        let next = WeakDelegate(object: center.delegate)
        state.withLock { $0.next = next }
        center.delegate = self
    }

    func show(_ session: SessionID, _ order: NotificationOrder, then sink: @escaping Sink) {
        let name = Self.name(session, order.key)
        let early = state.withLock { state in
            state.sinks[name] = sink
            return state.early.removeValue(forKey: name)
        }
        let center = UNUserNotificationCenter.current()
        switch order.act {
        case .post(let content, let headline, _):
            let words = UNMutableNotificationContent()
            words.title = content.title
            words.body = content.body
            words.threadIdentifier = session.description
            if content.kind != .progress { words.sound = .default }
            let request = UNNotificationRequest(identifier: name, content: words, trigger: nil)
            center.add(request) { error in
                sink(error == nil ? .posted(headline, number: 1, server: "system") : .refused(headline))
            }
        case .close:
            center.removeDeliveredNotifications(withIdentifiers: [name])
            sink(.closed)
        case .watch:
            if let early { return sink(early) }
            center.getDeliveredNotifications { delivered in
                if !delivered.contains(where: { $0.request.identifier == name }) { sink(.gone) }
            }
        }
    }

    /// Handles a tap, which is the only response without custom categories. Returns `false` if the notification is not a session's.
    func receiveTap(_ response: UNNotificationResponse) -> Bool {
        guard Self.isOurs(response.notification) else { return false }
        let identifier = response.notification.request.identifier
        let news = NotificationEvent.invoked(.open, activationToken: "")
        let sink = state.withLock { state in
            let sink = state.sinks[identifier]
            if sink == nil { state.early[identifier] = news }
            return sink
        }
        sink?(news)
        return true
    }

    package func userNotificationCenter(
        _ center: UNUserNotificationCenter, willPresent notification: UNNotification,
        withCompletionHandler completionHandler: @escaping @Sendable (UNNotificationPresentationOptions) -> Void
    ) {
        if Self.isOurs(notification) { return completionHandler(Self.presentation) }
        let isHandled: Void? = next?.userNotificationCenter?(
            center, willPresent: notification, withCompletionHandler: completionHandler)
        if isHandled == nil { completionHandler([]) }
    }

    package func userNotificationCenter(
        _ center: UNUserNotificationCenter, didReceive response: UNNotificationResponse,
        withCompletionHandler completionHandler: @escaping @Sendable () -> Void
    ) {
        if receiveTap(response) { return completionHandler() }
        let isHandled: Void? = next?.userNotificationCenter?(
            center, didReceive: response, withCompletionHandler: completionHandler)
        if isHandled == nil { completionHandler() }
    }

    package func userNotificationCenter(
        _ center: UNUserNotificationCenter, openSettingsFor notification: UNNotification?
    ) {
        next?.userNotificationCenter?(center, openSettingsFor: notification)
    }

    /// Returns whether the notification is one of a session.
    static func isOurs(_ notification: UNNotification) -> Bool { notification.request.identifier.hasPrefix(prefix) }

    /// The app's own delegate. It may lack each method, because all of them are optional.
    private var next: (any UNUserNotificationCenterDelegate)? { state.withLock { $0.next }?.object }
}
