package import Foundation
import LonghaulCore
import Synchronization

/// The completion handler of a launch for the events of a session. It is called once, on the main thread, when the
/// results of the events are on the disk, or when the time limit is reached.
package final class LaunchCompletion: Sendable {
    private let handler: Mutex<(@Sendable () -> Void)?>

    /// The system allows about thirty seconds.
    package init(limit: TimeInterval = 25, _ handler: @escaping @Sendable () -> Void) {
        self.handler = Mutex(handler)
        DispatchQueue.main.asyncAfter(deadline: .now() + limit) { [weak self] in self?.finish() }
    }

    /// Calls the handler. A second call does nothing.
    package func finish() {
        let call = handler.withLock { handler in
            defer { handler = nil }
            return handler
        }
        if let call { DispatchQueue.main.async { call() } }
    }
}
