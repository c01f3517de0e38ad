// swift-format-ignore-file: AllPublicDeclarationsHaveDocumentation
// Apple documents what these are, on the page that each `Source` names.
@_exported public import Foundation
import Synchronization

// Source: uikit/uiresponder
@available(iOS 2.0, *)
@MainActor open class UIResponder: NSObject {}

// Source: uikit/uibackgroundtaskidentifier, uikit/uibackgroundtaskidentifier/invalid
@available(iOS 4.0, *)
public struct UIBackgroundTaskIdentifier: Hashable, RawRepresentable, Sendable {
    public var rawValue: Int
    public init(rawValue: Int) { self.rawValue = rawValue }
    public static let invalid = UIBackgroundTaskIdentifier(rawValue: 0)
}

// Source: uikit/uiapplicationdelegate
@available(iOS 2.0, *)
@MainActor public protocol UIApplicationDelegate: NSObjectProtocol {
    #if !DECLARATIONS
        // Source: uikit/uiapplicationdelegate/application(_:handleeventsforbackgroundurlsession:completionhandler:)
        @available(iOS 7.0, *)
        func application(
            _ application: UIApplication, handleEventsForBackgroundURLSession identifier: String,
            completionHandler: @escaping () -> Void)
    #endif
}

@available(iOS 2.0, *)
extension UIApplicationDelegate {
    public func application(  // Double only.
        _ application: UIApplication, handleEventsForBackgroundURLSession identifier: String,
        completionHandler: @escaping () -> Void
    ) {}
}

// Source: uikit/uiapplication
@available(iOS 2.0, *)
@MainActor open class UIApplication: UIResponder {
    // Source: uikit/uiapplication/state
    @available(iOS 4.0, *)
    public enum State: Int, Sendable { case active, inactive, background }

    // Source: uikit/uiapplication/shared
    @available(iOSApplicationExtension, unavailable)
    public static let shared = UIApplication()

    // Source: uikit/uiapplication/applicationstate, uikit/uiapplication/backgroundtimeremaining
    // Source: uikit/uiapplication/isprotecteddataavailable
    @available(iOS 4.0, *)
    open private(set) var applicationState = State.active
    @available(iOS 4.0, *)
    open nonisolated var backgroundTimeRemaining: TimeInterval { backgroundTime.withLock { $0 } }
    @available(iOS 4.0, *)
    open private(set) var isProtectedDataAvailable = true

    // Source: uikit/uiapplication/didbecomeactivenotification, uikit/uiapplication/willresignactivenotification
    // Source: uikit/uiapplication/didenterbackgroundnotification, uikit/uiapplication/willenterforegroundnotification
    // Source: uikit/uiapplication/willterminatenotification
    // Source: uikit/uiapplication/protecteddatadidbecomeavailablenotification
    public nonisolated static let didBecomeActiveNotification =
        NSNotification.Name("UIApplicationDidBecomeActiveNotification")
    public nonisolated static let willResignActiveNotification =
        NSNotification.Name("UIApplicationWillResignActiveNotification")
    @available(iOS 4.0, *)
    public nonisolated static let didEnterBackgroundNotification =
        NSNotification.Name("UIApplicationDidEnterBackgroundNotification")
    @available(iOS 4.0, *)
    public nonisolated static let willEnterForegroundNotification =
        NSNotification.Name("UIApplicationWillEnterForegroundNotification")
    public nonisolated static let willTerminateNotification =
        NSNotification.Name("UIApplicationWillTerminateNotification")
    @available(iOS 4.0, *)
    public nonisolated static let protectedDataDidBecomeAvailableNotification =
        NSNotification.Name("UIApplicationProtectedDataDidBecomeAvailable")

    private nonisolated let assertions = Mutex(Assertions())
    private nonisolated let backgroundTime = Mutex<TimeInterval>(30)

    // Source: uikit/uiapplication/beginbackgroundtask(withname:expirationhandler:)
    @available(iOS 7.0, *)
    open nonisolated func beginBackgroundTask(
        withName taskName: String?, expirationHandler handler: (@MainActor @Sendable () -> Void)? = nil
    ) -> UIBackgroundTaskIdentifier {
        assertions.withLock { assertions in
            assertions.last += 1
            assertions.open[assertions.last] = Assertions.Open(name: taskName, handler: handler)
            return UIBackgroundTaskIdentifier(rawValue: assertions.last)
        }
    }

    // Source: uikit/uiapplication/endbackgroundtask(_:)
    @available(iOS 4.0, *)
    open nonisolated func endBackgroundTask(_ identifier: UIBackgroundTaskIdentifier) {
        assertions.withLock { _ = $0.open.removeValue(forKey: identifier.rawValue) }
    }

    /// Double only: the system grants so much background time.
    public nonisolated func grantBackgroundTime(_ seconds: TimeInterval) { backgroundTime.withLock { $0 = seconds } }

    /// Double only: the number of open background tasks.
    public nonisolated var openBackgroundTasks: Int { assertions.withLock(\.open.count) }

    /// Double only: the system ends the background time. Returns the names of the tasks whose handler returned before they ended: for
    /// these, it kills the app.
    public func expireBackgroundTasks() -> [String] {
        assertions.withLock(\.open).compactMap { identifier, task in
            task.handler?()
            return assertions.withLock { $0.open[identifier] == nil } ? nil : task.name ?? "unnamed"
        }
    }

    /// Double only: the process has died, and its background tasks with it.
    public nonisolated func endProcess() { assertions.withLock { $0.open = [:] } }

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

    /// Double only: the device has not been unlocked since it started, or is unlocked for the first time.
    public func setUnlocked(_ isUnlocked: Bool) {
        isProtectedDataAvailable = isUnlocked
        guard isUnlocked else { return }
        NotificationCenter.default.post(name: Self.protectedDataDidBecomeAvailableNotification, object: self)
    }

    /// Double only: the process ends when this returns.
    public func terminate() { NotificationCenter.default.post(name: Self.willTerminateNotification, object: self) }

    private struct Assertions {
        var last = 0
        var open: [Int: Open] = [:]

        struct Open {
            var name: String?
            var handler: (@MainActor @Sendable () -> Void)?
        }
    }
}
