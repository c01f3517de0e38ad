import CPlatform
package import LonghaulCore

#if canImport(Darwin)
    import Darwin
#else
    import Glibc
#endif

/// A thread for blocking work: Swift's own threads must never wait for a socket, a file, or a lock.
///
/// `@unchecked Sendable`: on Darwin, the handle is a pointer, which every thread may use.
package struct NativeThread: @unchecked Sendable {
    private let handle: pthread_t

    /// Starts a thread that runs `body` once. It must be joined or detached. Only for a process that cannot work
    /// without the thread: it traps on failure. An app must not end because of a missing thread, so code in apps uses
    /// the other functions.
    package init(_ body: @escaping @Sendable () -> Void) {
        do throws(SystemError) {
            self = try .started(body)
        } catch {
            preconditionFailure("No thread could be started: \(error.text).")
        }
    }

    private init(handle: pthread_t) {
        self.handle = handle
    }

    /// Starts a thread, or fails, for a process that can continue without the thread. A thread with a name (at most 15
    /// bytes) receives no signals.
    package static func started(
        named name: String? = nil, _ body: @escaping @Sendable () -> Void
    ) throws(SystemError) -> NativeThread {
        #if canImport(Darwin)
            var handle: pthread_t?
        #else
            var handle = pthread_t()
        #endif
        let argument = Unmanaged.passRetained(ThreadBody(name: name, run: body))
        let error = pthread_create(&handle, nil, { runThreadBody($0) }, argument.toOpaque())
        guard error == 0 else {
            argument.release()
            throw SystemError(error)
        }
        #if canImport(Darwin)
            guard let handle else { preconditionFailure("a thread that was started has a handle") }
        #endif
        return NativeThread(handle: handle)
    }

    /// Starts a thread, or fails with an error for the app.
    package static func required(
        named name: String? = nil, _ body: @escaping @Sendable () -> Void
    ) throws(TransferFailure) -> NativeThread {
        do throws(SystemError) {
            return try started(named: name, body)
        } catch {
            throw TransferFailure(
                .internalFault, "Could not start a thread: \(error.text). End some programs and try again.",
                origin: error.origin)
        }
    }

    /// Runs `body`, which blocks briefly and returns, on another thread. If no thread is available, one of Swift's own
    /// threads blocks instead, which is better than ending the app.
    package static func detach(_ body: @escaping @Sendable () -> Void) {
        do throws(SystemError) {
            try started(body).detach()
        } catch {
            Task.detached { body() }
        }
    }

    /// Waits until the thread has ended. Call it once, and never from the thread itself.
    package func join() {
        let error = pthread_join(handle, nil)
        precondition(error == 0, "a thread was joined twice: error \(error)")
    }

    /// Blocks the calling thread for this time.
    package static func sleep(nanoseconds: Int64) {
        usleep(UInt32(clamping: nanoseconds / 1_000))
    }

    /// Detaches the thread.
    package func detach() {
        pthread_detach(handle)
    }
}

private final class ThreadBody: Sendable {
    let name: String?
    let run: @Sendable () -> Void

    init(name: String?, run: @escaping @Sendable () -> Void) {
        self.name = name
        self.run = run
    }
}

private func runThreadBody(_ argument: UnsafeMutableRawPointer?) -> UnsafeMutableRawPointer? {
    guard let argument else { return nil }
    let body = Unmanaged<ThreadBody>.fromOpaque(argument).takeRetainedValue()
    longhaul_prepare_thread(body.name)
    body.run()
    return nil
}
