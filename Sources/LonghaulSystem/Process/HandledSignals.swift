import LonghaulCore
import Synchronization

#if canImport(Darwin)
    import Darwin
#else
    import Glibc
#endif

/// Numbers of signals.
package enum SignalNumber {
    package static let interrupt = SIGINT
    package static let terminate = SIGTERM
    package static let hangUp = SIGHUP
    package static let suspend = SIGTSTP
    package static let goOn = SIGCONT
    package static let resized = SIGWINCH
    package static let brokenPipe = SIGPIPE
}

/// Signals that a program answers for the rest of its life. Handlers, unlike blocked or ignored signals, are not inherited by the
/// programs it starts.
package enum HandledSignals {
    /// Takes the signals over; `body` is called with their numbers, on a thread of its own. Without descriptors or a thread to
    /// spare they keep their usual effect.
    package static func follow(_ numbers: [Int32], _ body: @escaping @Sendable (Int32) -> Void) {
        // Nothing can be done about a system that has no room left for this.
        guard let pipe = try? Descriptor.pipe() else { return }
        let listener = try? NativeThread.started {
            // The pipe is never closed: nothing else ends this.
            while let number = try? pipe.reading.nextByte() { body(Int32(number)) }
        }
        guard let listener else { return }
        listener.letGo()
        _ = fcntl(pipe.writing.number, F_SETFL, O_NONBLOCK)
        pipeEnd.store(Unmanaged.passRetained(pipe.writing).takeUnretainedValue().number, ordering: .releasing)
        for number in numbers { handle(number) }
    }

    /// Stops this process and those that were started with it, as Ctrl-Z does, until a shell continues it. Returns at once when
    /// nobody could continue it.
    package static func suspendProcess() {
        // The others first: nothing is done here while this process is stopped.
        signal(SIGTSTP, SIG_IGN)
        kill(0, SIGTSTP)
        signal(SIGTSTP, SIG_DFL)
        // To this thread, so that it does not run on for a moment.
        raise(SIGTSTP)
        handle(SIGTSTP)
    }

    /// A handler may do next to nothing, so it writes the signal's number into a pipe.
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

/// Stored before the first handler is installed, so that the handler never runs its initialiser.
private let pipeEnd = Atomic<Int32>(-1)
