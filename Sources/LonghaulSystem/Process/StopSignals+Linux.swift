#if os(Linux)
    import CPlatform
    import Glibc

    /// SIGTERM and SIGINT as events of a descriptor. They are blocked in the thread that creates this value, and in all
    /// threads that it starts. SIGPIPE and SIGHUP are ignored.
    package struct StopSignals: Sendable {
        /// Readable after one of the two signals.
        package let descriptor: Descriptor

        package init() throws(SystemError) {
            descriptor = Descriptor(try value(longhaul_signals_open()))
        }

        /// Returns the name of the next signal; `nil` if there is none.
        package func next() -> String? {
            let number = longhaul_signals_next(descriptor.number)
            guard number > 0 else { return nil }
            return number == SIGTERM ? "SIGTERM" : "SIGINT"
        }
    }
#endif
