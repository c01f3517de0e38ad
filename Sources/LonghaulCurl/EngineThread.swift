import CLinux
import Glibc
import LonghaulCore

/// A thread of the engine: named, kept free of signals, joined by its owner.
final class EngineThread: Sendable {
    private let thread: pthread_t

    init(named name: String, run: @escaping @Sendable () -> Void) throws(TransferFailure) {
        var started = pthread_t()
        let body = Unmanaged.passRetained(ThreadBody(name: name, run: run))
        let code = pthread_create(&started, nil, runThreadBody, body.toOpaque())
        guard code == 0 else {
            body.release()
            throw TransferFailure(
                .internalFault, "The system refuses another thread: \(systemText(code)).", origin: .system(Int(code)))
        }
        thread = started
    }

    /// Waits until the thread has ended; to be called once, from another thread.
    func join() {
        let code = pthread_join(thread, nil)
        precondition(code == 0, "An engine thread is joined once and never by itself: \(systemText(code)).")
    }
}

private final class ThreadBody: Sendable {
    let name: String
    let run: @Sendable () -> Void

    init(name: String, run: @escaping @Sendable () -> Void) {
        self.name = name
        self.run = run
    }
}

private func runThreadBody(_ context: UnsafeMutableRawPointer?) -> UnsafeMutableRawPointer? {
    guard let context else { return nil }
    let body = Unmanaged<ThreadBody>.fromOpaque(context).takeRetainedValue()
    longhaul_prepare_thread(body.name)
    body.run()
    return nil
}
