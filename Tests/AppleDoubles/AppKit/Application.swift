// swift-format-ignore-file: AllPublicDeclarationsHaveDocumentation
// Apple documents what these are; `Tests/AppleDoubles/sources.md` says where.
@_exported public import Foundation

@MainActor open class NSResponder: NSObject {}

@MainActor open class NSApplication: NSResponder {
    public enum TerminateReply: UInt, Sendable { case terminateCancel, terminateNow, terminateLater }

    public static let shared = NSApplication()
    open internal(set) var isActive = true

    public nonisolated static let didBecomeActiveNotification =
        NSNotification.Name("NSApplicationDidBecomeActiveNotification")
    public nonisolated static let willResignActiveNotification =
        NSNotification.Name("NSApplicationWillResignActiveNotification")

    /// Double only: the app's replies.
    public private(set) var replies: [Bool] = []
    open func reply(toApplicationShouldTerminate shouldTerminate: Bool) { replies.append(shouldTerminate) }

    /// Double only: this app, or another one, comes to the front.
    public func setActive(_ isActive: Bool) {
        self.isActive = isActive
        NotificationCenter.default.post(
            name: isActive ? Self.didBecomeActiveNotification : Self.willResignActiveNotification, object: self)
    }
}
