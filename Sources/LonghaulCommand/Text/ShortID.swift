import LonghaulCore

/// The form of an identifier that people type: its last eight digits. The first ones are a date and look all alike.
enum ShortID {
    static func text(_ id: TransferID) -> String {
        String(decoding: bytes(id), as: UTF8.self)
    }

    static func bytes(_ id: TransferID) -> [UInt8] {
        (0..<8).map { position in
            let nibble = UInt8(truncatingIfNeeded: id.low >> UInt64(28 - position * 4)) & 0xF
            return nibble < 10 ? UInt8(ascii: "0") + nibble : UInt8(ascii: "a") + nibble - 10
        }
    }
}

extension SessionID {
    /// What a hint says between a command and its transfers: nothing in the session that commands mean by themselves.
    var hint: String { self == .commandLine ? "" : " --session \(self)" }

    /// A command as a hint gives it, for this session or for one of its transfers.
    func hint(_ command: String, _ id: TransferID? = nil) -> String {
        "longhaul \(command)\(hint)" + (id.map { " " + ShortID.text($0) } ?? "")
    }
}
