#if os(Linux)
    import Glibc
    import LonghaulCore

    /// The user's terminal.
    package enum Terminal {
        package static func isTerminal(_ file: some OpenFile) -> Bool {
            isatty(file.number) == 1
        }

        /// Opens the controlling terminal. A process without one uses the terminal at its standard input: `su -c` starts a
        /// session that keeps the terminal open and does not control it.
        package static func open() throws(SystemError) -> Descriptor {
            do throws(SystemError) {
                return try Descriptor(opening: "/dev/tty", .both)
            } catch {
                guard isTerminal(LentDescriptor.standardInput) else { throw error }
                return try LentDescriptor.standardInput.duplicate()
            }
        }

        /// Returns its columns and rows: 0 if unknown, `nil` if there is no terminal.
        package static func size(of file: some OpenFile) -> (columns: Int, rows: Int)? {
            var window = winsize()
            guard ioctl(file.number, UInt(TIOCGWINSZ), &window) == 0 else { return nil }
            return (Int(window.ws_col), Int(window.ws_row))
        }

        /// Calls `body` while the terminal echoes no input and passes on every character at once, even those for signals.
        /// Returns `nil` if the terminal does not support that.
        package static func withoutEcho<Value, Failure: Error>(
            _ terminal: some OpenFile, _ body: () throws(Failure) -> Value
        ) throws(Failure) -> Value? {
            var saved = termios()
            guard tcgetattr(terminal.number, &saved) == 0 else { return nil }
            var quiet = saved
            quiet.c_lflag &= ~tcflag_t(ECHO | ICANON | ISIG)
            tcsetattr(terminal.number, TCSAFLUSH, &quiet)
            defer { tcsetattr(terminal.number, TCSAFLUSH, &saved) }
            return try body()
        }
    }
#endif
