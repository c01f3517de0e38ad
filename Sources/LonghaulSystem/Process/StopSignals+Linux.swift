import CLinux
import Glibc

/// SIGTERM and SIGINT as news on a descriptor. They are blocked in the thread that makes this and in all that it starts; SIGPIPE and
/// SIGHUP are ignored.
package struct StopSignals: Sendable {
    /// Readable when one of the two came.
    package let descriptor: Descriptor

    package init() throws(SystemError) {
        descriptor = Descriptor(try value(longhaul_signals_open()))
    }

    /// The name of the next one; `nil` when there is none.
    package func next() -> String? {
        let number = longhaul_signals_next(descriptor.number)
        guard number > 0 else { return nil }
        return number == SIGTERM ? "SIGTERM" : "SIGINT"
    }
}
