/// The payload of `SessionCommand.provideCredential`.
struct CredentialGift: WireMessage {
    var name: CredentialName
    var url: String
    var credential: Credential

    init(name: CredentialName, url: String, credential: Credential) {
        self.name = name
        self.url = url
        self.credential = credential
    }

    func encode(into writer: inout WireWriter) {
        writer.text(name.description, at: 1)
        writer.text(url, at: 2)
        writer.message(credential, at: 3)
    }

    init(from reader: inout WireReader) throws(WireError) {
        var name: CredentialName?
        var url = ""
        var credential: Credential?
        while let field = try reader.nextField() {
            switch field {
            case 1: name = try reader.credentialName()
            case 2: url = try reader.text()
            case 3: credential = try reader.message()
            default: try reader.skip()
            }
        }
        guard let name, let credential else { throw .missingValue }
        self.init(name: name, url: url, credential: credential)
    }
}

/// The payload of `SessionCommand.setCredentialHelper`, and the stored helper.
package struct HelperCommand: WireMessage, Equatable, Sendable {
    package var words: [String]

    package init(words: [String]) {
        self.words = words
    }

    package func encode(into writer: inout WireWriter) {
        writer.texts(words, at: 1)
    }

    package init(from reader: inout WireReader) throws(WireError) {
        self.init(words: [])
        while let field = try reader.nextField() {
            switch field {
            case 1: words.append(try reader.text())
            default: try reader.skip()
            }
        }
    }
}

/// The payload of `SessionCommand.replaceURL`; without a transfer, that of `Credential.url`.
struct URLReplacement: WireMessage {
    var id: TransferID?
    var url: String
    var headers: [HeaderField]?

    init(id: TransferID?, url: String, headers: [HeaderField]?) {
        self.id = id
        self.url = url
        self.headers = headers
    }

    func encode(into writer: inout WireWriter) {
        writer.message(id, at: 1)
        writer.text(url, at: 2)
        if let headers { writer.message(WireList(headers), at: 3) }
    }

    init(from reader: inout WireReader) throws(WireError) {
        self.init(id: nil, url: "", headers: nil)
        while let field = try reader.nextField() {
            switch field {
            case 1: id = try reader.message()
            case 2: url = try reader.text()
            case 3: headers = (try reader.message() as WireList<HeaderField>).items
            default: try reader.skip()
            }
        }
    }
}

/// Two texts; both are always written.
struct TextPair: WireMessage {
    var first: String
    var second: String

    init(first: String, second: String) {
        self.first = first
        self.second = second
    }

    func encode(into writer: inout WireWriter) {
        writer.text(Optional(first), at: 1)
        writer.text(Optional(second), at: 2)
    }

    init(from reader: inout WireReader) throws(WireError) {
        self.init(first: "", second: "")
        while let field = try reader.nextField() {
            switch field {
            case 1: first = try reader.text()
            case 2: second = try reader.text()
            default: try reader.skip()
            }
        }
    }
}
