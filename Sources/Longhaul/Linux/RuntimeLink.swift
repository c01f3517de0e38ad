import LonghaulRuntime
import Synchronization

/// Leads from the conditions to the runtime, which is opened when the conditions are known.
final class RuntimeLink: Sendable {
    private let state = Mutex<SessionRuntime?>(nil)

    /// `nil` before it is opened.
    var runtime: SessionRuntime? { state.withLock { $0 } }

    func set(_ runtime: SessionRuntime) {
        state.withLock { $0 = runtime }
    }
}
