import LonghaulCore
import Synchronization

import Glibc

/// The signals that an attached command answers.
package enum Signal: Equatable, Sendable {
    case interrupt
    case terminate
    case hangUp
    /// The terminal has another size.
    case resized

    fileprivate static let all: [(number: Int32, signal: Signal)] = [
        (SIGINT, .interrupt), (SIGTERM, .terminate), (SIGHUP, .hangUp), (SIGWINCH, .resized),
    ]

    /// Takes over the signals for the rest of the process's life. Handlers, unlike blocked or ignored signals, are not
    /// inherited by the programs this one starts.
    package static func stream() -> AsyncStream<Signal> {
        let (stream, continuation) = AsyncStream<Signal>.makeStream()
        guard let reader = SignalPipe.open() else { return stream }
        let listener = Listener(descriptor: reader, continuation: continuation)
        var thread = pthread_t()
        let box = Unmanaged.passRetained(listener)
        let result = pthread_create(&thread, nil, listen, box.toOpaque())
        guard result == 0 else {
            box.release()
            return stream
        }
        pthread_detach(thread)
        for entry in all { SignalPipe.handle(entry.number) }
        return stream
    }
}

private final class Listener: Sendable {
    let descriptor: Int32
    let continuation: AsyncStream<Signal>.Continuation

    init(descriptor: Int32, continuation: AsyncStream<Signal>.Continuation) {
        self.descriptor = descriptor
        self.continuation = continuation
    }
}

private func listen(_ argument: UnsafeMutableRawPointer?) -> UnsafeMutableRawPointer? {
    guard let argument else { return nil }
    let listener = Unmanaged<Listener>.fromOpaque(argument).takeRetainedValue()
    var number: UInt8 = 0
    while true {
        let count = read(listener.descriptor, &number, 1)
        if count < 0 && errno == EINTR { continue }
        guard count == 1 else { return nil }
        if let entry = Signal.all.first(where: { $0.number == Int32(number) }) {
            listener.continuation.yield(entry.signal)
        }
    }
}

/// A handler may do next to nothing, so it writes the signal's number into a pipe.
private enum SignalPipe {
    static func open() -> Int32? {
        var ends: [Int32] = [-1, -1]
        guard pipe(&ends) == 0 else { return nil }
        for end in ends { _ = fcntl(end, F_SETFD, FD_CLOEXEC) }
        _ = fcntl(ends[1], F_SETFL, O_NONBLOCK)
        signalPipeEnd.store(ends[1], ordering: .releasing)
        return ends[0]
    }

    static func handle(_ number: Int32) {
        var action = sigaction()
        action.__sigaction_handler.sa_handler = { number in
            let saved = errno
            var byte = UInt8(truncatingIfNeeded: number)
            _ = write(signalPipeEnd.load(ordering: .acquiring), &byte, 1)
            errno = saved
        }
        action.sa_flags = SA_RESTART
        sigaction(number, &action, nil)
    }
}

/// Stored before the first handler is installed, so that the handler never runs its initialiser.
private let signalPipeEnd = Atomic<Int32>(-1)
