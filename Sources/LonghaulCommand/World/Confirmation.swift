import Glibc
import LonghaulCore

/// Asks for a yes on the controlling terminal, whatever standard input is.
enum Confirmation {
    static func ask(_ question: String) throws(TransferFailure) -> Bool {
        let terminal = open("/dev/tty", O_RDWR | O_CLOEXEC)
        guard terminal >= 0 else {
            throw .usage("there is no terminal to ask on; --yes does it without asking")
        }
        defer { close(terminal) }
        let bytes = Array(question.utf8)
        _ = write(terminal, bytes, bytes.count)
        var answer: [UInt8] = []
        var byte: UInt8 = 0
        while read(terminal, &byte, 1) == 1, byte != 0x0A { answer.append(byte) }
        // The end of the input is no answer.
        guard byte == 0x0A else { return false }
        let word = String(decoding: answer, as: UTF8.self).lowercased()
        return ["", "y", "yes"].contains(word)
    }
}
