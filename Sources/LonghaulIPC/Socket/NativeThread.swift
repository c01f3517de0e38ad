import Glibc

/// A thread for work that blocks: Swift's own threads must never wait for a socket, a file or a lock.
package struct NativeThread: Sendable {
    private let handle: pthread_t

    /// Starts a thread that runs `body` once; it must be joined or let go.
    package init(_ body: @escaping @Sendable () -> Void) {
        var handle = pthread_t()
        let argument = Unmanaged.passRetained(ThreadBody(run: body)).toOpaque()
        let error = pthread_create(&handle, nil, { runThreadBody($0) }, argument)
        precondition(error == 0, "No thread could be started: error \(error).")
        self.handle = handle
    }

    /// Waits until the thread has ended.
    package func join() {
        pthread_join(handle, nil)
    }

    /// Lets the thread end by itself.
    package func letGo() {
        pthread_detach(handle)
    }
}

private final class ThreadBody: Sendable {
    let run: @Sendable () -> Void

    init(run: @escaping @Sendable () -> Void) {
        self.run = run
    }
}

private func runThreadBody(_ argument: UnsafeMutableRawPointer?) -> UnsafeMutableRawPointer? {
    guard let argument else { return nil }
    Unmanaged<ThreadBody>.fromOpaque(argument).takeRetainedValue().run()
    return nil
}
