#if os(iOS) || os(Linux)
    import Foundation
    public import Longhaul
    import LonghaulCore
    import Synchronization
    import UIKit

    /// The lifecycle of an app as UIKit reports it. With several scenes, the lifecycle of the whole app.
    ///
    /// In the background, a background task keeps the app running until the lifecycle has settled or the system ends the task.
    /// Before termination, the app continues for at most four seconds, and its main actor stays responsive.
    @available(iOSApplicationExtension, unavailable)
    public struct AppLifecycle: ProcessLifecycle.Source {
        /// Creates the source.
        public init() {}

        /// Follows the app's notifications until the task is cancelled.
        public func run(_ lifecycle: ProcessLifecycle) async {
            let follower = await AppFollower(lifecycle)
            let (end, feed) = AsyncStream<Never>.makeStream()
            await withTaskCancellationHandler {
                // Only cancellation ends this loop.
                for await _ in end {}
            } onCancel: {
                feed.finish()
            }
            follower.end()
        }
    }

    @available(iOSApplicationExtension, unavailable)
    private final class AppFollower: Sendable {
        private let tokens = Mutex<[NotificationToken]>([])

        @MainActor init(_ lifecycle: ProcessLifecycle) {
            follow(UIApplication.didBecomeActiveNotification) { lifecycle.enter(.active) }
            follow(UIApplication.willResignActiveNotification) { lifecycle.enter(.inactive) }
            follow(UIApplication.willEnterForegroundNotification) { lifecycle.enter(.inactive) }
            follow(UIApplication.didEnterBackgroundNotification) { Self.enterBackground(lifecycle) }
            follow(UIApplication.willTerminateNotification) { Termination.holdBack(lifecycle) }
            switch UIApplication.shared.applicationState {
            case .active: lifecycle.enter(.active)
            case .inactive: break
            // An app that was started in the background leaves after it has processed the events of its launch.
            case .background: break
            @unknown default: break
            }
        }

        /// Observes a notification on the main thread, where it is posted, and calls `body` at once: the app may be suspended when all
        /// observers have returned.
        @MainActor private func follow(_ name: NSNotification.Name, _ body: @escaping @MainActor @Sendable () -> Void) {
            let token = NotificationToken(
                NotificationCenter.default.addObserver(forName: name, object: nil, queue: nil) { _ in
                    MainActor.assumeIsolated(body)
                })
            tokens.withLock { $0.append(token) }
        }

        func end() {
            let tokens = tokens.withLock { tokens in
                defer { tokens = [] }
                return tokens
            }
            for token in tokens { token.end() }
        }

        /// Requests background time first, because the time counts from that call.
        @MainActor private static func enterBackground(_ lifecycle: ProcessLifecycle) {
            let assertion = BackgroundAssertion("Longhaul hands its transfers over")
            lifecycle.enter(.background, within: time(UIApplication.shared.backgroundTimeRemaining)) { assertion.end() }
        }

        /// Returns how much of the remaining time to use. Right after the change, the system may still report unlimited time.
        static func time(_ remaining: TimeInterval) -> Duration {
            remaining > 600 ? .seconds(25) : .seconds(max(1, remaining - 2))
        }
    }
#endif
