// swift-format-ignore-file: AllPublicDeclarationsHaveDocumentation
// Apple documents what these are; `Tests/AppleDoubles/sources.md` says where.
import Synchronization

open class UNUserNotificationCenter: NSObject, @unchecked Sendable {
    private struct State: @unchecked Sendable {
        weak var delegate: (any UNUserNotificationCenterDelegate)?
        var shown: [UNNotificationRequest] = []
        var refuses = false
    }

    private let state = Mutex(State())
    private static let theOne = UNUserNotificationCenter()
    open class func current() -> UNUserNotificationCenter { theOne }

    open weak var delegate: (any UNUserNotificationCenterDelegate)? {
        get { state.withLock { $0.delegate } }
        set {
            nonisolated(unsafe) let delegate = newValue
            state.withLock { $0.delegate = delegate }
        }
    }

    open func add(
        _ request: UNNotificationRequest,
        withCompletionHandler completionHandler: (@Sendable ((any Error)?) -> Void)? = nil
    ) {
        let isRefused = state.withLock { state in
            guard !state.refuses else { return true }
            state.shown.removeAll { $0.identifier == request.identifier }
            state.shown.append(request)
            return false
        }
        completionHandler?(isRefused ? NSError(domain: "UNErrorDomain", code: 1) : nil)
    }

    open func removeDeliveredNotifications(withIdentifiers identifiers: [String]) {
        state.withLock { $0.shown.removeAll { identifiers.contains($0.identifier) } }
    }

    open func getDeliveredNotifications(completionHandler: @escaping @Sendable ([UNNotification]) -> Void) {
        completionHandler(state.withLock { $0.shown.map(UNNotification.init) })
    }

    /// Double only: the notifications that the user sees.
    public var shown: [UNNotificationRequest] { state.withLock { $0.shown } }

    /// Double only: discards the state of earlier tests; the user allows notifications, or does not.
    public func reset(refuses: Bool = false) { state.withLock { $0 = State(refuses: refuses) } }

    /// Double only: the user taps a notification, which removes it.
    public func tap(_ identifier: String, _ done: @escaping @Sendable () -> Void = {}) {
        guard let request = shown.first(where: { $0.identifier == identifier }) else { return }
        removeDeliveredNotifications(withIdentifiers: [identifier])
        delegate?.userNotificationCenter(
            self, didReceive: UNNotificationResponse(UNNotification(request)), withCompletionHandler: done)
    }
}
