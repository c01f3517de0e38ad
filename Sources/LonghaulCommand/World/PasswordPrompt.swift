import Glibc
import LonghaulCore

/// Asks for a password on the controlling terminal, whatever standard input is.
enum PasswordPrompt {
    static func ask(_ prompt: String) throws(TransferFailure) -> String {
        let terminal = open("/dev/tty", O_RDWR | O_CLOEXEC)
        guard terminal >= 0 else {
            throw .usage(
                "there is no terminal to ask for the password on; name a credential instead (longhaul help credentials)"
            )
        }
        defer { close(terminal) }
        var saved = termios()
        guard tcgetattr(terminal, &saved) == 0 else {
            throw .usage("the terminal cannot hide a password; name a credential instead (longhaul help credentials)")
        }
        // Signals are read as characters, so that Ctrl-C cannot leave the terminal without its echo.
        var quiet = saved
        quiet.c_lflag &= ~tcflag_t(ECHO | ICANON | ISIG)
        tcsetattr(terminal, TCSAFLUSH, &quiet)
        defer { tcsetattr(terminal, TCSAFLUSH, &saved) }
        write(prompt, to: terminal)
        defer { write("\n", to: terminal) }
        return try readLine(from: terminal)
    }

    private static func readLine(from terminal: Int32) throws(TransferFailure) -> String {
        var typed: [UInt8] = []
        var byte: UInt8 = 0
        while true {
            guard read(terminal, &byte, 1) == 1 else {
                if errno == EINTR { continue }
                throw .usage("no password was given")
            }
            switch byte {
            case 0x0A, 0x0D: return String(decoding: typed, as: UTF8.self)
            case 0x03: throw TransferFailure(.interrupted, "stopped at the password")
            case 0x04 where typed.isEmpty: throw .usage("no password was given")
            case 0x15: typed.removeAll()
            case 0x08, 0x7F:
                // One character, which may be several bytes of UTF-8.
                while let last = typed.popLast(), last & 0xC0 == 0x80 {}
            default: typed.append(byte)
            }
        }
    }

    private static func write(_ text: String, to terminal: Int32) {
        let bytes = Array(text.utf8)
        _ = Glibc.write(terminal, bytes, bytes.count)
    }
}
