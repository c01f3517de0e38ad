// swift-format-ignore-file: AllPublicDeclarationsHaveDocumentation
// Apple documents what these are, on the page that each `Source` names.
@_exported public import Foundation

// Source: appkit/nsresponder
@available(macOS 10.0, *)
@MainActor open class NSResponder: NSObject {}

// Source: appkit/nsapplicationdelegate
@available(macOS 10.0, *)
@MainActor public protocol NSApplicationDelegate: NSObjectProtocol {
    #if !DECLARATIONS
        // Source: appkit/nsapplicationdelegate/applicationshouldterminate(_:)
        func applicationShouldTerminate(_ sender: NSApplication) -> NSApplication.TerminateReply
    #endif
}

// Source: appkit/nsapplication
@available(macOS 10.0, *)
@MainActor open class NSApplication: NSResponder {
    // Source: appkit/nsapplication/terminatereply
    public enum TerminateReply: UInt, Sendable { case terminateCancel, terminateNow, terminateLater }

    // Source: appkit/nsapplication/shared, appkit/nsapplication/isactive
    public static let shared = NSApplication()
    open internal(set) var isActive = true

    // Source: appkit/nsapplication/didbecomeactivenotification, appkit/nsapplication/willresignactivenotification
    public static let didBecomeActiveNotification =
        NSNotification.Name("NSApplicationDidBecomeActiveNotification")
    public static let willResignActiveNotification =
        NSNotification.Name("NSApplicationWillResignActiveNotification")

    /// Double only: the app's replies.
    public private(set) var replies: [Bool] = []

    // Source: appkit/nsapplication/reply(toapplicationshouldterminate:)
    open func reply(toApplicationShouldTerminate shouldTerminate: Bool) { replies.append(shouldTerminate) }

    /// Double only: this app, or another one, comes to the front.
    public func setActive(_ isActive: Bool) {
        self.isActive = isActive
        NotificationCenter.default.post(
            name: isActive ? Self.didBecomeActiveNotification : Self.willResignActiveNotification, object: self)
    }
}
