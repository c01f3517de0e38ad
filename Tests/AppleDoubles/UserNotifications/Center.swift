// swift-format-ignore-file: AllPublicDeclarationsHaveDocumentation
// Apple documents what these are, on the page that each `Source` names.
import Synchronization

// Source: usernotifications/unusernotificationcenter
@available(macOS 10.14, iOS 10.0, *)
open class UNUserNotificationCenter: NSObject {
    private struct State: @unchecked Sendable {
        weak var delegate: (any UNUserNotificationCenterDelegate)?
        var shown: [UNNotificationRequest] = []
        var added: [String] = []
        var refuses = false
    }

    private let state = Mutex(State())
    nonisolated(unsafe) private static let theOne = UNUserNotificationCenter()
    private static let isInApp = Mutex(true)

    // Source: usernotifications/unusernotificationcenter/current()
    open class func current() -> UNUserNotificationCenter {
        precondition(isInApp.withLock { $0 }, "bundleProxyForCurrentProcess is nil: this process is not an app")
        return theOne
    }

    // Source: usernotifications/unusernotificationcenter/delegate
    open weak var delegate: (any UNUserNotificationCenterDelegate)? {
        get { state.withLock { $0.delegate } }
        set {
            nonisolated(unsafe) let delegate = newValue
            state.withLock { $0.delegate = delegate }
        }
    }

    // Source: usernotifications/unusernotificationcenter/requestauthorization(options:completionhandler:)
    open func requestAuthorization(options: UNAuthorizationOptions = []) async throws -> Bool {
        !state.withLock { $0.refuses }
    }

    // Source: usernotifications/unusernotificationcenter/add(_:withcompletionhandler:)
    open func add(
        _ request: UNNotificationRequest,
        withCompletionHandler completionHandler: (@Sendable ((any Error)?) -> Void)? = nil
    ) {
        let isRefused = state.withLock { state in
            guard !state.refuses else { return true }
            state.shown.removeAll { $0.identifier == request.identifier }
            state.shown.append(request)
            state.added.append(request.content.title)
            return false
        }
        completionHandler?(isRefused ? NSError(domain: "UNErrorDomain", code: 1) : nil)
    }

    // Source: usernotifications/unusernotificationcenter/removedeliverednotifications(withidentifiers:)
    open func removeDeliveredNotifications(withIdentifiers identifiers: [String]) {
        state.withLock { $0.shown.removeAll { identifiers.contains($0.identifier) } }
    }

    // Source: usernotifications/unusernotificationcenter/getdeliverednotifications(completionhandler:)
    open func getDeliveredNotifications(completionHandler: @escaping @Sendable ([UNNotification]) -> Void) {
        completionHandler(state.withLock { $0.shown.map(UNNotification.init) })
    }

    /// Double only: whether this process is an app. The default is `true`.
    public static func setInApp(_ isInApp: Bool) { self.isInApp.withLock { $0 = isInApp } }

    /// Double only: the notifications that the user sees.
    public var shown: [UNNotificationRequest] { state.withLock { $0.shown } }

    /// Double only: the titles of all notifications that were shown, also of those that were removed.
    public var added: [String] { state.withLock { $0.added } }

    /// Double only: discards the state of earlier tests; the user allows notifications, or does not.
    public func reset(refuses: Bool = false) { state.withLock { $0 = State(refuses: refuses) } }

    /// Double only: the user allows notifications, or no longer does.
    public func refuse(_ refuses: Bool) { state.withLock { $0.refuses = refuses } }

    /// Double only: the user taps a notification, which removes it.
    public func tap(_ identifier: String, _ done: @escaping @Sendable () -> Void = {}) {
        guard let request = shown.first(where: { $0.identifier == identifier }) else { return }
        removeDeliveredNotifications(withIdentifiers: [identifier])
        delegate?.userNotificationCenter?(
            self, didReceive: UNNotificationResponse(UNNotification(request)), withCompletionHandler: done)
    }

    /// Double only: how the app presents a notification that arrives while it is in the foreground; `nil` if its delegate
    /// does not say.
    public func present(_ request: UNNotificationRequest) -> UNNotificationPresentationOptions? {
        let answer = Answer()
        delegate?.userNotificationCenter?(self, willPresent: UNNotification(request)) { answer.set($0) }
        return answer.options
    }

    /// Double only: the user opens the app's settings from the system's.
    public func openSettings() { delegate?.userNotificationCenter?(self, openSettingsFor: nil) }
}

private final class Answer: Sendable {
    private let state = Mutex<UNNotificationPresentationOptions?>(nil)
    var options: UNNotificationPresentationOptions? { state.withLock { $0 } }
    func set(_ options: UNNotificationPresentationOptions) { state.withLock { $0 = options } }
}
