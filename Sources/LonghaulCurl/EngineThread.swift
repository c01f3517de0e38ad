import LonghaulCore
import LonghaulSystem

/// A thread of the engine: named, kept free of signals, joined by its owner.
struct EngineThread: Sendable {
    private let thread: NativeThread

    init(named name: String, run: @escaping @Sendable () -> Void) throws(TransferFailure) {
        do throws(SystemError) {
            thread = try .started(named: name, run)
        } catch {
            throw TransferFailure(
                .internalFault, "The system refuses another thread: \(error.text).", origin: error.origin)
        }
    }

    /// Waits until the thread has ended; to be called once, from another thread.
    func join() { thread.join() }
}
