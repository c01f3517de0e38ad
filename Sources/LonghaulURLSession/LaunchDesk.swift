package import Foundation
import LonghaulCore
import Synchronization

/// Gives the system back what it lends with a launch for the events of a session: the completion handler is called once, on the main
/// thread, when what the events led to is on the disk, or when the time for that is over.
package final class LaunchDesk: Sendable {
    private let handler: Mutex<(@Sendable () -> Void)?>

    /// The system allows some thirty seconds.
    package init(limit: TimeInterval = 25, _ handler: @escaping @Sendable () -> Void) {
        self.handler = Mutex(handler)
        DispatchQueue.main.asyncAfter(deadline: .now() + limit) { [weak self] in self?.finish() }
    }

    /// A second call does nothing.
    package func finish() {
        let call = handler.withLock { handler in
            defer { handler = nil }
            return handler
        }
        if let call { DispatchQueue.main.async { call() } }
    }
}
