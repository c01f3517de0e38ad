import CPlatform

/// The signals of a process's life cycle, for a single thread that follows them: SIGTERM, SIGINT, SIGHUP, SIGTSTP, and
/// SIGCONT. Signals that the process was started to ignore stay ignored.
package enum LifecycleSignals {
    /// A message of another thread to the following thread.
    package enum Message: Int32, Sendable {
        // No signal has this number.
        case cancelled = 200
        case readyToStop, readyToEnd
    }

    package enum Event: Equatable, Sendable {
        case signal(Int32)
        case word(Message)
        case timePassed
    }

    /// Installs the handlers. Fails if they are already installed.
    package static func open() throws(SystemError) {
        try value(longhaul_lifecycle_open())
    }

    /// Restores the previous handlers.
    package static func close() {
        longhaul_lifecycle_close()
    }

    /// Waits for at most `milliseconds` (-1: forever).
    package static func next(milliseconds: Int32) -> Event {
        let number = longhaul_lifecycle_next(milliseconds)
        if let word = Message(rawValue: number) { return .word(word) }
        return number > 0 ? .signal(number) : .timePassed
    }

    package static func say(_ word: Message) {
        longhaul_lifecycle_wake(word.rawValue)
    }

    /// Suspends the process by the signal's default action. Returns when it continues.
    package static func suspend(by number: Int32) {
        longhaul_lifecycle_stop(number)
    }

    /// Ends the process by the signal's default action.
    package static func end(by number: Int32) -> Never {
        longhaul_lifecycle_end(number)
    }
}
