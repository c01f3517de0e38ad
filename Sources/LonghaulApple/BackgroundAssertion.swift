#if !os(macOS)
    import Synchronization
    import UIKit

    /// Background time of an app: requested once, and ended once, by its owner or by the system.
    final class BackgroundAssertion: Sendable {
        private let identifier = Mutex(UIBackgroundTaskIdentifier.invalid)

        @MainActor init(_ name: String) {
            let granted = UIApplication.shared.beginBackgroundTask(withName: name) { [weak self] in self?.end() }
            identifier.withLock { $0 = granted }
        }

        func end() {
            let granted = identifier.withLock { identifier in
                defer { identifier = .invalid }
                return identifier
            }
            guard granted != .invalid else { return }
            Task { @MainActor in UIApplication.shared.endBackgroundTask(granted) }
        }
    }
#endif
