// swift-format-ignore-file: AllPublicDeclarationsHaveDocumentation
// Apple documents what these are, on the page that each `Source` names.
@_exported public import Foundation

// Source: usernotifications/unnotificationpresentationoptions, usernotifications/unnotificationpresentationoptions/init(rawvalue:)
@available(macOS 10.14, iOS 10.0, *)
public struct UNNotificationPresentationOptions: OptionSet, Sendable {
    public let rawValue: UInt
    public init(rawValue: UInt) { self.rawValue = rawValue }

    // Source: usernotifications/unnotificationpresentationoptions/list, usernotifications/unnotificationpresentationoptions/banner
    @available(macOS 11.0, iOS 14.0, *)
    public static let list = UNNotificationPresentationOptions(rawValue: 8)
    @available(macOS 11.0, iOS 14.0, *)
    public static let banner = UNNotificationPresentationOptions(rawValue: 16)
}

// Source: usernotifications/unauthorizationoptions, usernotifications/unauthorizationoptions/init(rawvalue:)
@available(macOS 10.14, iOS 10.0, *)
public struct UNAuthorizationOptions: OptionSet, Sendable {
    public let rawValue: UInt
    public init(rawValue: UInt) { self.rawValue = rawValue }

    // Source: usernotifications/unauthorizationoptions/sound, usernotifications/unauthorizationoptions/alert
    public static let sound = UNAuthorizationOptions(rawValue: 2)
    public static let alert = UNAuthorizationOptions(rawValue: 4)
}

// Source: usernotifications/unnotificationsound, usernotifications/unnotificationsound/default
@available(macOS 10.14, iOS 10.0, *)
open class UNNotificationSound: NSObject {
    open class var `default`: UNNotificationSound { UNNotificationSound() }
}

// Source: usernotifications/unnotificationcontent
@available(macOS 10.14, iOS 10.0, *)
open class UNNotificationContent: NSObject {
    var words = (title: "", body: "", thread: "")

    // Source: usernotifications/unnotificationcontent/title, usernotifications/unnotificationcontent/body
    // Source: usernotifications/unnotificationcontent/threadidentifier
    open var title: String { words.title }
    open var body: String { words.body }
    open var threadIdentifier: String { words.thread }
}

// Source: usernotifications/unmutablenotificationcontent
@available(macOS 10.14, iOS 10.0, *)
open class UNMutableNotificationContent: UNNotificationContent {
    // Source: usernotifications/unmutablenotificationcontent/title, usernotifications/unmutablenotificationcontent/body
    // Source: usernotifications/unmutablenotificationcontent/threadidentifier, usernotifications/unmutablenotificationcontent/sound
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

// Source: usernotifications/unnotificationtrigger
@available(macOS 10.14, iOS 10.0, *)
open class UNNotificationTrigger: NSObject {}

// Source: usernotifications/unnotificationrequest
@available(macOS 10.14, iOS 10.0, *)
open class UNNotificationRequest: NSObject {
    // Source: usernotifications/unnotificationrequest/identifier, usernotifications/unnotificationrequest/content, usernotifications/unnotificationrequest/trigger
    public let identifier: String
    public let content: UNNotificationContent
    public let trigger: UNNotificationTrigger?

    // Source: usernotifications/unnotificationrequest/init(identifier:content:trigger:)
    public init(identifier: String, content: UNNotificationContent, trigger: UNNotificationTrigger?) {
        self.identifier = identifier
        self.content = content
        self.trigger = trigger
    }
}

// Source: usernotifications/unnotification, usernotifications/unnotification/request
@available(macOS 10.14, iOS 10.0, *)
open class UNNotification: NSObject {
    public let request: UNNotificationRequest
    init(_ request: UNNotificationRequest) { self.request = request }
}

// Source: usernotifications/unnotificationresponse, usernotifications/unnotificationresponse/notification
@available(macOS 10.14, iOS 10.0, *)
open class UNNotificationResponse: NSObject {
    public let notification: UNNotification
    init(_ notification: UNNotification) { self.notification = notification }
}
