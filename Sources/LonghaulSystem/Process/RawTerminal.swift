import LonghaulCore
import Synchronization

#if canImport(Darwin)
    import Darwin
#else
    import Glibc
#endif

/// The controlling terminal in a mode where every key is told at once and nothing is shown by itself, for programs that draw
/// the whole screen.
package final class RawTerminal: Sendable {
    private let file: Descriptor
    /// How the terminal was before, while it is taken.
    private let saved = Mutex<termios?>(nil)

    /// Opens it, and leaves it as it is. Fails when there is none.
    package init() throws(SystemError) {
        file = try Descriptor(opening: "/dev/tty", .both)
    }

    /// Takes it. False when it is no terminal any more.
    @discardableResult
    package func take() -> Bool {
        saved.withLock { saved in
            var before = termios()
            guard tcgetattr(file.number, &before) == 0 else { return false }
            if saved == nil { saved = before }
            var raw = before
            raw.c_iflag &= ~tcflag_t(BRKINT | ICRNL | INPCK | ISTRIP | IXON)
            raw.c_lflag &= ~tcflag_t(ECHO | ICANON | IEXTEN | ISIG)
            return tcsetattr(file.number, TCSADRAIN, &raw) == 0
        }
    }

    /// Gives it back as it was. Who is in the background leaves it alone: it belongs to somebody else then.
    package func giveBack() {
        saved.withLock { saved in
            guard var before = saved else { return }
            saved = nil
            if tcgetpgrp(file.number) == getpgrp() { tcsetattr(file.number, TCSADRAIN, &before) }
        }
    }

    /// Blocks until something was typed; `nil` at the end. With a limit the answer may be empty.
    package func typed(within milliseconds: Int32 = -1) -> [UInt8]? {
        if milliseconds >= 0,
            !PollSet.wait([(file.number, .readable)], milliseconds: milliseconds)[0].contains(.readable)
        {
            return []
        }
        var bytes: [UInt8] = []
        // Whatever ended it, nothing comes any more.
        guard (try? file.append(to: &bytes)) == true else { return nil }
        return bytes
    }

    package func write(_ bytes: [UInt8]) throws(SystemError) {
        try file.write(bytes)
    }

    package var size: (columns: Int, rows: Int)? { Terminal.size(of: file) }
}
