// swift-format-ignore-file: AllPublicDeclarationsHaveDocumentation
// Apple documents what these are; `Tests/AppleDoubles/sources.md` says where.
@_exported public import Foundation
import Synchronization

@MainActor open class UIResponder: NSObject {}

public struct UIBackgroundTaskIdentifier: Hashable, RawRepresentable, Sendable {
    public var rawValue: Int
    public init(rawValue: Int) { self.rawValue = rawValue }
    public static let invalid = UIBackgroundTaskIdentifier(rawValue: 0)
}

/// The methods of an app delegate are optional; none is needed here.
@MainActor public protocol UIApplicationDelegate: NSObjectProtocol {}

@MainActor open class UIApplication: UIResponder {
    public enum State: Int, Sendable { case active, inactive, background }

    public static let shared = UIApplication()
    open var applicationState = State.active
    open var backgroundTimeRemaining: TimeInterval = 30
    open var isProtectedDataAvailable = true

    public nonisolated static let didBecomeActiveNotification =
        NSNotification.Name("UIApplicationDidBecomeActiveNotification")
    public nonisolated static let willResignActiveNotification =
        NSNotification.Name("UIApplicationWillResignActiveNotification")
    public nonisolated static let didEnterBackgroundNotification =
        NSNotification.Name("UIApplicationDidEnterBackgroundNotification")
    public nonisolated static let willEnterForegroundNotification =
        NSNotification.Name("UIApplicationWillEnterForegroundNotification")
    public nonisolated static let willTerminateNotification =
        NSNotification.Name("UIApplicationWillTerminateNotification")
    public nonisolated static let protectedDataDidBecomeAvailableNotification =
        NSNotification.Name("UIApplicationProtectedDataDidBecomeAvailable")

    private nonisolated let assertions = Mutex(Assertions())

    open nonisolated func beginBackgroundTask(
        withName taskName: String?, expirationHandler handler: (@MainActor @Sendable () -> Void)? = nil
    ) -> UIBackgroundTaskIdentifier {
        assertions.withLock { assertions in
            assertions.last += 1
            assertions.open[assertions.last] = .some(handler)
            return UIBackgroundTaskIdentifier(rawValue: assertions.last)
        }
    }

    open nonisolated func endBackgroundTask(_ identifier: UIBackgroundTaskIdentifier) {
        assertions.withLock { _ = $0.open.removeValue(forKey: identifier.rawValue) }
    }

    /// Double only: the number of open background tasks.
    public nonisolated var openBackgroundTasks: Int { assertions.withLock(\.open.count) }

    /// Double only: the system ends the background time.
    public func expireBackgroundTasks() {
        for handler in assertions.withLock({ $0.open.values.compactMap(\.self) }) { handler() }
    }

    /// Double only: the app enters a state, and all observers are notified on the main thread, as by the system.
    public func enter(_ state: State) {
        let center = NotificationCenter.default
        switch (applicationState, state) {
        case (.active, .inactive): center.post(name: Self.willResignActiveNotification, object: self)
        case (.active, .background): center.post(name: Self.willResignActiveNotification, object: self)
        case (.background, .inactive), (.background, .active):
            center.post(name: Self.willEnterForegroundNotification, object: self)
        default: break
        }
        applicationState = state
        switch state {
        case .active: center.post(name: Self.didBecomeActiveNotification, object: self)
        case .background: center.post(name: Self.didEnterBackgroundNotification, object: self)
        case .inactive: break
        }
    }

    /// Double only: the device is unlocked for the first time.
    public func unlock() {
        isProtectedDataAvailable = true
        NotificationCenter.default.post(name: Self.protectedDataDidBecomeAvailableNotification, object: self)
    }

    /// Double only: the process ends when this returns.
    public func terminate() { NotificationCenter.default.post(name: Self.willTerminateNotification, object: self) }

    private struct Assertions {
        var last = 0
        var open: [Int: (@MainActor @Sendable () -> Void)?] = [:]
    }
}
