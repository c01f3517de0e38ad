import LonghaulCore

/// The form of an identifier that users type: its last eight digits. The first digits are a date and look alike.
enum ShortID {
    static func text(_ id: TransferID) -> String {
        String(decoding: bytes(id), as: UTF8.self)
    }

    /// Shortens the identifiers in a sentence. Those in paths and URLs stay.
    static func shortening(_ sentence: String) -> String {
        guard sentence.utf8.count(where: { $0 == UInt8(ascii: "-") }) >= 4 else { return sentence }
        return sentence.split(separator: " ", omittingEmptySubsequences: false).map { word in
            let id = word.prefix(36)
            guard id.utf8.count == 36, word.dropFirst(36).allSatisfy({ ".,;:)".contains($0) }),
                let transfer = TransferID(String(id))
            else { return String(word) }
            return text(transfer) + word.dropFirst(36)
        }.joined(separator: " ")
    }

    static func bytes(_ id: TransferID) -> [UInt8] {
        (0..<8).map { position in
            let nibble = UInt8(truncatingIfNeeded: id.low >> UInt64(28 - position * 4)) & 0xF
            return nibble < 10 ? UInt8(ascii: "0") + nibble : UInt8(ascii: "a") + nibble - 10
        }
    }
}

extension SessionID {
    /// The option between a command and its transfers; empty for the default session.
    var hint: String { self == .commandLine ? "" : " --session \(self)" }

    /// A command for this session, or for one of its transfers.
    func hint(_ command: String, _ id: TransferID? = nil) -> String {
        "longhaul \(command)\(hint)" + (id.map { " " + ShortID.text($0) } ?? "")
    }

    /// A command for the transfers of this session, or of one of its groups.
    func hint(_ command: String, group: String?) -> String {
        guard let group else { return hint(command) }
        let isPlain = !group.isEmpty && group.allSatisfy { $0.isLetter || $0.isNumber || "-_.".contains($0) }
        let word = isPlain ? group : "'" + DisplayText.clean(group).replacing("'", with: "'\\''") + "'"
        return hint(command) + " --group " + word
    }
}
