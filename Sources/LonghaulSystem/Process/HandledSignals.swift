import LonghaulCore
import Synchronization

#if canImport(Darwin)
    import Darwin
#else
    import Glibc
#endif

/// Signal numbers.
package enum SignalNumber {
    package static let interrupt = SIGINT
    package static let terminate = SIGTERM
    package static let hangUp = SIGHUP
    package static let suspend = SIGTSTP
    package static let continuation = SIGCONT
    package static let resized = SIGWINCH
    package static let brokenPipe = SIGPIPE
}

/// Signals that a program handles for the rest of its life. Unlike blocked or ignored signals, handlers are not
/// inherited by child processes.
package enum HandledSignals {
    /// Installs handlers. `body` is called with the signal numbers, on a separate thread. If no descriptors or threads
    /// are available, the signals keep their default effect.
    package static func follow(_ numbers: [Int32], _ body: @escaping @Sendable (Int32) -> Void) {
        // If the system lacks resources for this, nothing can be done.
        guard let pipe = try? Descriptor.pipe() else { return }
        let listener = try? NativeThread.started {
            // The pipe is never closed, so this loop never ends.
            while let number = try? pipe.reading.nextByte() { body(Int32(number)) }
        }
        guard let listener else { return }
        listener.detach()
        _ = fcntl(pipe.writing.number, F_SETFL, O_NONBLOCK)
        pipeEnd.store(Unmanaged.passRetained(pipe.writing).takeUnretainedValue().number, ordering: .releasing)
        for number in numbers { handle(number) }
    }

    /// Stops this process and the others in its group, as Ctrl-Z does, until a shell continues it. Returns at once if
    /// no process could continue it.
    package static func suspendProcess() {
        // The others first, because this process does nothing while it is stopped.
        signal(SIGTSTP, SIG_IGN)
        kill(0, SIGTSTP)
        signal(SIGTSTP, SIG_DFL)
        // To this thread, so that it stops immediately.
        raise(SIGTSTP)
        handle(SIGTSTP)
    }

    /// A signal handler may do almost nothing, so it writes the signal's number to a pipe.
    private static func handle(_ number: Int32) {
        var action = sigaction()
        let handler: @convention(c) (Int32) -> Void = { number in
            let saved = errno
            var byte = UInt8(truncatingIfNeeded: number)
            _ = write(pipeEnd.load(ordering: .acquiring), &byte, 1)
            errno = saved
        }
        #if canImport(Darwin)
            action.__sigaction_u.__sa_handler = handler
        #else
            action.__sigaction_handler.sa_handler = handler
        #endif
        action.sa_flags = SA_RESTART
        sigaction(number, &action, nil)
    }
}

/// Stored before the first handler is installed, so that the handler never runs its initializer.
private let pipeEnd = Atomic<Int32>(-1)
