import CLinux

/// The signals of a process's life, for the one thread that follows them: SIGTERM, SIGINT, SIGHUP, SIGTSTP and SIGCONT. Those that
/// the process was started to ignore stay ignored.
package enum LifecycleSignals {
    /// What other threads say to the one that follows.
    package enum Word: Int32, Sendable {
        // No signal has such a number.
        case cancelled = 200
        case readyToStop, readyToEnd
    }

    package enum News: Equatable, Sendable {
        case signal(Int32)
        case word(Word)
        case timePassed
    }

    /// Begins to catch them. Fails when somebody does already.
    package static func open() throws(SystemError) {
        try value(longhaul_lifecycle_open())
    }

    /// Gives them back to whoever had them before.
    package static func close() {
        longhaul_lifecycle_close()
    }

    /// Waits for at most `milliseconds` (-1: for ever).
    package static func next(milliseconds: Int32) -> News {
        let number = longhaul_lifecycle_next(milliseconds)
        if let word = Word(rawValue: number) { return .word(word) }
        return number > 0 ? .signal(number) : .timePassed
    }

    package static func say(_ word: Word) {
        longhaul_lifecycle_wake(word.rawValue)
    }

    /// Lets the signal's default action suspend the process; returns when it goes on.
    package static func suspend(by number: Int32) {
        longhaul_lifecycle_stop(number)
    }

    /// Lets the signal's default action end the process.
    package static func end(by number: Int32) -> Never {
        longhaul_lifecycle_end(number)
    }
}
