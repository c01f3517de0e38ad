import LonghaulCore
import LonghaulSystem

/// Prompts for a yes on the controlling terminal, whatever standard input is.
enum Confirmation {
    static func prompt(_ question: String) throws(TransferFailure) -> Bool {
        guard let terminal = try? Descriptor(opening: "/dev/tty", .both) else {
            throw .usage("there is no terminal to ask on; --yes does it without asking")
        }
        // The user may answer a question that could not be shown.
        try? terminal.write(question)
        var answer: [UInt8] = []
        var byte = try? terminal.nextByte()
        while let next = byte, next != 0x0A {
            answer.append(next)
            byte = try? terminal.nextByte()
        }
        // The end of the input is no answer.
        guard byte == 0x0A else { return false }
        let word = String(decoding: answer, as: UTF8.self).lowercased()
        return ["", "y", "yes"].contains(word)
    }
}
