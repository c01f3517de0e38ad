#if os(iOS) || os(Linux)
    import Synchronization
    import UIKit

    /// Background time of an app: requested once, and ended once, by its owner or by the system.
    @available(iOSApplicationExtension, unavailable)
    final class BackgroundAssertion: Sendable {
        private let application: UIApplication
        private let identifier = Mutex(UIBackgroundTaskIdentifier.invalid)

        @MainActor init(_ name: String) {
            application = .shared
            let granted = application.beginBackgroundTask(withName: name) { [self] in end() }
            identifier.withLock { $0 = granted }
        }

        /// The system ends an app whose task is still open when its expiration handler returns, so nothing here may be postponed.
        func end() {
            let granted = identifier.withLock { identifier in
                defer { identifier = .invalid }
                return identifier
            }
            guard granted != .invalid else { return }
            application.endBackgroundTask(granted)
        }
    }
#endif
