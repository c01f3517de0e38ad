#if os(Linux)
    import Glibc
    import LonghaulCore
    import Synchronization

    /// The terminal in raw mode, which reports every key at once and echoes nothing. For full-screen programs.
    package final class RawTerminal: Sendable {
        private let file: Descriptor
        /// The terminal's previous mode while it is in raw mode.
        private let saved = Mutex<termios?>(nil)

        /// Opens the terminal without changing its mode. Fails if there is none.
        package init() throws(SystemError) {
            file = try Terminal.open()
        }

        /// Enters raw mode. Returns `false` if the terminal is gone.
        @discardableResult
        package func enterRawMode() -> Bool {
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

        /// Restores the previous mode. A background process does not, because the terminal then belongs to another process.
        /// A process without a controlling terminal cannot be in the background.
        package func giveBack() {
            saved.withLock { saved in
                guard var before = saved else { return }
                saved = nil
                if [getpgrp(), -1].contains(tcgetpgrp(file.number)) { tcsetattr(file.number, TCSADRAIN, &before) }
            }
        }

        /// Waits for input; `nil` at its end. With a limit, the result may be empty.
        package func typed(within milliseconds: Int32 = -1) -> [UInt8]? {
            if milliseconds >= 0,
                !PollSet.wait([(file.number, .readable)], milliseconds: milliseconds)[0].contains(.readable)
            {
                return []
            }
            var bytes: [UInt8] = []
            // After any error, no more input arrives.
            guard (try? file.append(to: &bytes)) == true else { return nil }
            return bytes
        }

        package func write(_ bytes: [UInt8]) throws(SystemError) {
            try file.write(bytes)
        }

        package var size: (columns: Int, rows: Int)? { Terminal.size(of: file) }
    }
#endif
