// swift-format-ignore-file: AllPublicDeclarationsHaveDocumentation
// Apple documents what these are; `Tests/AppleDoubles/sources.md` says where.
@_exported public import Foundation

public struct UNNotificationPresentationOptions: OptionSet, Sendable {
    public let rawValue: UInt
    public init(rawValue: UInt) { self.rawValue = rawValue }
    public static let list = UNNotificationPresentationOptions(rawValue: 8)
    public static let banner = UNNotificationPresentationOptions(rawValue: 16)
}

open class UNNotificationSound: NSObject, @unchecked Sendable {
    open class var `default`: UNNotificationSound { UNNotificationSound() }
}

open class UNNotificationContent: NSObject, @unchecked Sendable {
    var words = (title: "", body: "", thread: "")
    open var title: String { words.title }
    open var body: String { words.body }
    open var threadIdentifier: String { words.thread }
}

open class UNMutableNotificationContent: UNNotificationContent, @unchecked Sendable {
    open override var title: String {
        get { words.title }
        set { words.title = newValue }
    }
    open override var body: String {
        get { words.body }
        set { words.body = newValue }
    }
    open override var threadIdentifier: String {
        get { words.thread }
        set { words.thread = newValue }
    }
    open var sound: UNNotificationSound?
}

open class UNNotificationTrigger: NSObject, @unchecked Sendable {}

open class UNNotificationRequest: NSObject, @unchecked Sendable {
    public let identifier: String
    public let content: UNNotificationContent
    public let trigger: UNNotificationTrigger?

    public init(identifier: String, content: UNNotificationContent, trigger: UNNotificationTrigger?) {
        self.identifier = identifier
        self.content = content
        self.trigger = trigger
    }
}

open class UNNotification: NSObject, @unchecked Sendable {
    public let request: UNNotificationRequest
    init(_ request: UNNotificationRequest) { self.request = request }
}

open class UNNotificationResponse: NSObject, @unchecked Sendable {
    public let notification: UNNotification
    init(_ notification: UNNotification) { self.notification = notification }
}

public protocol UNUserNotificationCenterDelegate: NSObjectProtocol {
    func userNotificationCenter(
        _ center: UNUserNotificationCenter, willPresent notification: UNNotification,
        withCompletionHandler completionHandler: @escaping @Sendable (UNNotificationPresentationOptions) -> Void)
    func userNotificationCenter(
        _ center: UNUserNotificationCenter, didReceive response: UNNotificationResponse,
        withCompletionHandler completionHandler: @escaping @Sendable () -> Void)
}

extension UNUserNotificationCenterDelegate {
    public func userNotificationCenter(
        _ center: UNUserNotificationCenter, willPresent notification: UNNotification,
        withCompletionHandler completionHandler: @escaping @Sendable (UNNotificationPresentationOptions) -> Void
    ) { completionHandler([]) }
    public func userNotificationCenter(
        _ center: UNUserNotificationCenter, didReceive response: UNNotificationResponse,
        withCompletionHandler completionHandler: @escaping @Sendable () -> Void
    ) { completionHandler() }
}
