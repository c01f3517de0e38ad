import LonghaulCore
import LonghaulSystem

/// Prompts for a yes or a no on the terminal, even if standard input is not the terminal.
enum Confirmation {
    static func prompt(_ question: String, emptyMeans: Bool) throws(TransferFailure) -> Bool {
        guard let terminal = try? Terminal.open() else {
            throw .usage("There is no terminal to ask on. To answer yes, add --yes.")
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
        return means(String(decoding: answer, as: UTF8.self), empty: emptyMeans)
    }

    static func means(_ answer: String, empty: Bool) -> Bool {
        let word = answer.lowercased()
        return word.isEmpty ? empty : ["y", "yes"].contains(word)
    }
}
