// swift-format-ignore-file: AllPublicDeclarationsHaveDocumentation
// Apple documents what these are, on the page that each `Source` names.
// A declaration module has no requirement for an optional method, and a property with its base name: an optional value
// whose calls have the method's labels. A call without `?` does not compile, as with Apple's SDK. The double also has
// the requirement, with a default implementation that reports that the method is missing.
import Synchronization

// Source: usernotifications/unusernotificationcenterdelegate
@available(macOS 10.14, iOS 10.0, *)
public protocol UNUserNotificationCenterDelegate: NSObjectProtocol {
    #if !DECLARATIONS
        // Source: usernotifications/unusernotificationcenterdelegate/usernotificationcenter(_:willpresent:withcompletionhandler:)
        func userNotificationCenter(
            _ center: UNUserNotificationCenter, willPresent notification: UNNotification,
            withCompletionHandler completionHandler: @escaping @Sendable (UNNotificationPresentationOptions) -> Void)
        // Source: usernotifications/unusernotificationcenterdelegate/usernotificationcenter(_:didreceive:withcompletionhandler:)
        func userNotificationCenter(
            _ center: UNUserNotificationCenter, didReceive response: UNNotificationResponse,
            withCompletionHandler completionHandler: @escaping @Sendable () -> Void)
        // Source: usernotifications/unusernotificationcenterdelegate/usernotificationcenter(_:opensettingsfor:)
        @available(iOS 12.0, *)
        func userNotificationCenter(
            _ center: UNUserNotificationCenter, openSettingsFor notification: UNNotification?)
    #endif
}

@available(macOS 10.14, iOS 10.0, *)
extension UNUserNotificationCenterDelegate {
    public func userNotificationCenter(  // Double only.
        _ center: UNUserNotificationCenter, willPresent notification: UNNotification,
        withCompletionHandler completionHandler: @escaping @Sendable (UNNotificationPresentationOptions) -> Void
    ) { OptionalMethod.isMissing?.set() }

    public func userNotificationCenter(  // Double only.
        _ center: UNUserNotificationCenter, didReceive response: UNNotificationResponse,
        withCompletionHandler completionHandler: @escaping @Sendable () -> Void
    ) { OptionalMethod.isMissing?.set() }

    public func userNotificationCenter(  // Double only.
        _ center: UNUserNotificationCenter, openSettingsFor notification: UNNotification?
    ) { OptionalMethod.isMissing?.set() }

    // Source: usernotifications/unusernotificationcenterdelegate
    public var userNotificationCenter: UNUserNotificationCenterDelegateMethods? {
        UNUserNotificationCenterDelegateMethods(delegate: self)
    }
}

/// The methods by `?`. A call returns `nil` if the delegate lacks the method.
// Source: usernotifications/unusernotificationcenterdelegate
@available(macOS 10.14, iOS 10.0, *)
public struct UNUserNotificationCenterDelegateMethods {
    let delegate: any UNUserNotificationCenterDelegate

    // Source: usernotifications/unusernotificationcenterdelegate/usernotificationcenter(_:willpresent:withcompletionhandler:)
    @discardableResult public func callAsFunction(
        _ center: UNUserNotificationCenter, willPresent notification: UNNotification,
        withCompletionHandler completionHandler: @escaping @Sendable (UNNotificationPresentationOptions) -> Void
    ) -> Void? {
        OptionalMethod.call {
            delegate.userNotificationCenter(
                center, willPresent: notification, withCompletionHandler: completionHandler)
        }
    }

    // Source: usernotifications/unusernotificationcenterdelegate/usernotificationcenter(_:didreceive:withcompletionhandler:)
    @discardableResult public func callAsFunction(
        _ center: UNUserNotificationCenter, didReceive response: UNNotificationResponse,
        withCompletionHandler completionHandler: @escaping @Sendable () -> Void
    ) -> Void? {
        OptionalMethod.call {
            delegate.userNotificationCenter(center, didReceive: response, withCompletionHandler: completionHandler)
        }
    }

    // Source: usernotifications/unusernotificationcenterdelegate/usernotificationcenter(_:opensettingsfor:)
    @available(iOS 12.0, *)
    @discardableResult public func callAsFunction(
        _ center: UNUserNotificationCenter, openSettingsFor notification: UNNotification?
    ) -> Void? {
        OptionalMethod.call {
            delegate.userNotificationCenter(center, openSettingsFor: notification)
        }
    }
}

/// Whether the delegate has the called method: the default implementation sets the flag.
final class OptionalMethod: Sendable {
    @TaskLocal static var isMissing: OptionalMethod?
    private let flag = Mutex(false)

    func set() { flag.withLock { $0 = true } }

    static func call(_ body: () -> Void) -> Void? {
        let method = OptionalMethod()
        $isMissing.withValue(method, operation: body)
        return method.flag.withLock { $0 } ? nil : ()
    }
}
