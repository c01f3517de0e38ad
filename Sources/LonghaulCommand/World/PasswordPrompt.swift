import LonghaulCore
import LonghaulSystem

/// Prompts for a password on the terminal, even if standard input is not the terminal.
enum PasswordPrompt {
    static func prompt(_ prompt: String) throws(TransferFailure) -> String {
        guard let terminal = try? Terminal.open() else {
            throw .usage(
                "There is no terminal to prompt for the password. In a script, use a helper (longhaul help credentials)."
            )
        }
        // Signals are read as characters, so that Ctrl-C cannot leave the terminal without its echo.
        let password = try Terminal.withoutEcho(terminal) { () throws(TransferFailure) in
            // The user may type without a visible prompt.
            try? terminal.write(prompt)
            defer { try? terminal.write("\n") }
            return try readLine(from: terminal)
        }
        guard let password else {
            throw .usage("The terminal cannot hide a password. Use a helper (longhaul help credentials).")
        }
        return password
    }

    private static func readLine(from terminal: Descriptor) throws(TransferFailure) -> String {
        var typed: [UInt8] = []
        while true {
            guard let byte = try? terminal.nextByte() else { throw .usage("No password was typed.") }
            switch byte {
            case 0x0A, 0x0D: return String(decoding: typed, as: UTF8.self)
            case 0x03: throw TransferFailure(.interrupted, tr("The password prompt was cancelled."))
            case 0x04 where typed.isEmpty: throw .usage("No password was typed.")
            case 0x15: typed.removeAll()
            case 0x08, 0x7F:
                // One character, which may be several bytes of UTF-8.
                while let last = typed.popLast(), last & 0xC0 == 0x80 {}
            default: typed.append(byte)
            }
        }
    }
}
