import LonghaulCore

/// The payload of `answerCredential`.
struct CredentialReplyWire: WireMessage {
    /// The number of the request `provideCredentials`.
    var provider: UInt64
    var question: UInt64
    /// Absent when the app has none.
    var credential: Credential?

    init(provider: UInt64, question: UInt64, credential: Credential?) {
        self.provider = provider
        self.question = question
        self.credential = credential
    }

    func encode(into writer: inout WireWriter) {
        writer.unsigned(provider, at: 1)
        writer.unsigned(question, at: 2)
        writer.message(credential, at: 3)
    }

    init(from reader: inout WireReader) throws(WireError) {
        self.init(provider: 0, question: 0, credential: nil)
        while let field = try reader.nextField() {
            switch field {
            case 1: provider = try reader.unsigned()
            case 2: question = try reader.unsigned()
            case 3: credential = try reader.message()
            default: try reader.skip()
            }
        }
    }
}
