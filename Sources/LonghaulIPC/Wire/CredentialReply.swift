import LonghaulCore

/// The payload of `answerCredential`.
struct CredentialReply: WireRecord {
    /// The number of the request `provideCredentials`.
    var provider: UInt64
    var question: UInt64
    /// Absent when the app has none.
    var credential: Credential?

    static var blank: Self { Self(provider: 0, question: 0, credential: nil) }

    mutating func fields(_ wire: inout WireFields) throws(WireError) {
        try wire.unsigned(&provider, 1)
        try wire.unsigned(&question, 2)
        try wire.message(&credential, 3)
    }
}
