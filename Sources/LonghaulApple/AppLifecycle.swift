#if !os(macOS)
    import Foundation
    public import Longhaul
    import LonghaulCore
    import Synchronization
    import UIKit

    /// The lifecycle of an app as UIKit reports it. With several scenes, the lifecycle of the whole app.
    ///
    /// In the background, a background task keeps the app running until the lifecycle has settled or the system ends the task.
    /// Before termination, the app continues for at most four seconds, and its main actor stays responsive.
    public struct AppLifecycle: ProcessLifecycle.Source {
        /// Creates the source.
        public init() {}

        /// Follows the app's notifications until the task is cancelled.
        public func run(_ lifecycle: ProcessLifecycle) async {
            let follower = await AppFollower(lifecycle)
            let (end, feed) = AsyncStream<Never>.makeStream()
            await withTaskCancellationHandler {
                // Ended by the cancellation alone.
                for await _ in end {}
            } onCancel: {
                feed.finish()
            }
            follower.end()
        }
    }

    private final class AppFollower: Sendable {
        private let tokens = Mutex<[NotificationToken]>([])

        @MainActor init(_ lifecycle: ProcessLifecycle) {
            follow(UIApplication.didBecomeActiveNotification) { lifecycle.enter(.active) }
            follow(UIApplication.willResignActiveNotification) { lifecycle.enter(.inactive) }
            follow(UIApplication.willEnterForegroundNotification) { lifecycle.enter(.inactive) }
            follow(UIApplication.didEnterBackgroundNotification) { Self.leave(lifecycle) }
            follow(UIApplication.willTerminateNotification) { Termination.holdBack(lifecycle) }
            switch UIApplication.shared.applicationState {
            case .active: lifecycle.enter(.active)
            case .inactive: break
            // Started there: it is left by whoever takes in what it was started for.
            case .background: break
            @unknown default: break
            }
        }

        /// Posted on the main thread, and heard there at once: the app may be suspended when all observers have returned.
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

        /// Asks for time first, since it counts from the call on.
        @MainActor private static func leave(_ lifecycle: ProcessLifecycle) {
            let assertion = BackgroundAssertion("Longhaul hands its transfers over")
            lifecycle.enter(.background, within: time(UIApplication.shared.backgroundTimeRemaining)) { assertion.end() }
        }

        /// What is used of the time that is left; right after the change the system may still say that there is no end to it.
        static func time(_ remaining: TimeInterval) -> Duration {
            remaining > 600 ? .seconds(25) : .seconds(max(1, remaining - 2))
        }
    }
#endif
