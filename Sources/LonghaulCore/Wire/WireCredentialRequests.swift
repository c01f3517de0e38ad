/// The payload of `SessionCommand.provideCredential`.
struct ProvidedCredential: WireRecord {
    var name: CredentialName
    var url: String
    var credential: Credential

    static var blank: Self {
        Self(name: .blank, url: "", credential: .bearer(""))
    }

    mutating func fields(_ wire: inout WireFields) throws(WireError) {
        try wire.name(&name, 1)
        try wire.text(&url, 2)
        try wire.required(&credential, 3)
    }
}

/// The payload of `SessionCommand.setCredentialHelper`, and the stored helper.
package struct HelperCommand: WireRecord, Equatable, Sendable {
    package var words: [String]

    package init(words: [String]) {
        self.words = words
    }

    package static var blank: Self { Self(words: []) }

    package mutating func fields(_ wire: inout WireFields) throws(WireError) {
        try wire.texts(&words, 1)
    }
}

/// The payload of `SessionCommand.replaceURL`.
struct URLReplacement: WireRecord {
    static var blank: Self { Self(id: .blank, link: .blank) }

    var id: TransferID
    var link: Link

    mutating func fields(_ wire: inout WireFields) throws(WireError) {
        try wire.required(&id, 1)
        try wire.required(&link, 2)
    }
}

/// The payload of `SessionCommand.trust`.
struct TrustDecision: WireRecord {
    static var blank: Self { Self(id: .blank, key: .blank) }

    var id: TransferID
    var key: TrustedKey

    mutating func fields(_ wire: inout WireFields) throws(WireError) {
        try wire.required(&id, 1)
        try wire.required(&key, 2)
    }
}

/// The payload of `Credential.url`: a URL, and its headers; without them, the transfer's headers stay.
struct Link: WireRecord {
    static var blank: Self { Self(url: "") }

    var url: String
    var headers: [HeaderField]?

    mutating func fields(_ wire: inout WireFields) throws(WireError) {
        var list = headers.map { WireList($0) }
        try wire.text(&url, 1)
        try wire.message(&list, 2)
        headers = list?.items
    }
}

/// Two texts; both are always written.
struct TextPair: WireRecord {
    var first: String
    var second: String

    static var blank: Self { Self(first: "", second: "") }

    mutating func fields(_ wire: inout WireFields) throws(WireError) {
        try wire.text(&first, 1)
        try wire.text(&second, 2)
    }
}
