import LonghaulCore

/// The value of an option with the form `NAME[:SECRET]`. The secret may contain every character.
struct LoginText {
    let name: String
    /// The text after the colon; `nil` without a colon.
    let secret: String?

    /// The colon is found as a byte: with a combining character after it, it is part of another `Character`.
    init(_ text: String) {
        self.init(text, colon: text.utf8.firstIndex(of: UInt8(ascii: ":")))
    }

    init(_ text: String, colon: String.Index?) {
        name = String(text[..<(colon ?? text.endIndex)])
        secret = colon.map { String(text[text.utf8.index(after: $0)...]) }
    }

    /// Returns the secret, or prompts for it.
    func password(_ world: World, prompt: @autoclosure () -> String) throws(TransferFailure) -> String {
        if let secret { return secret }
        return try world.promptPassword(prompt())
    }
}
