package import LonghaulCore
import LonghaulSystem

/// A thread of the engine: named, with all signals blocked, joined by its owner.
package struct EngineThread: Sendable {
    private let thread: NativeThread

    package init(named name: String, run: @escaping @Sendable () -> Void) throws(TransferFailure) {
        thread = try .required(named: name, run)
    }

    /// Waits until the thread has ended; to be called once, from another thread.
    package func join() { thread.join() }
}
