extension WireReader {
    mutating func credentialName() throws(WireError) -> CredentialName {
        guard let name = CredentialName(try text()) else { throw .unknownValue }
        return name
    }
}

extension Credential: WireMessage {
    package func encode(into writer: inout WireWriter) {
        switch self {
        case .basic(let userName, let password):
            writer.message(TextPair(first: userName, second: password), at: 1)
        case .bearer(let token): writer.text(Optional(token), at: 2)
        case .header(let field): writer.message(field, at: 3)
        case .url(let url, let headers): writer.message(URLReplacement(id: nil, url: url, headers: headers), at: 4)
        }
    }

    package init(from reader: inout WireReader) throws(WireError) {
        var credential: Credential?
        while let field = try reader.nextField() {
            switch field {
            case 1:
                let pair: TextPair = try reader.message()
                credential = .basic(userName: pair.first, password: pair.second)
            case 2: credential = .bearer(try reader.text())
            case 3: credential = .header(try reader.message())
            case 4:
                let replacement: URLReplacement = try reader.message()
                credential = .url(replacement.url, headers: replacement.headers)
            default: try reader.skip()
            }
        }
        guard let credential else { throw .unknownValue }
        self = credential
    }
}

extension CredentialRequest: WireMessage {
    package func encode(into writer: inout WireWriter) {
        writer.text(name.description, at: 1)
        writer.choice(kind, at: 2)
        writer.text(url, at: 3)
        writer.text(userName, at: 4)
        writer.message(transfer, at: 5)
        writer.text(transferKey, at: 6)
        writer.flag(isRenewal, at: 7)
    }

    package init(from reader: inout WireReader) throws(WireError) {
        var name: CredentialName?
        var kind = CredentialKind.authorization
        var url = ""
        var userName: String?
        var transfer: TransferID?
        var transferKey: String?
        var isRenewal = false
        while let field = try reader.nextField() {
            switch field {
            case 1: name = try reader.credentialName()
            case 2: kind = try reader.choice()
            case 3: url = try reader.text()
            case 4: userName = try reader.text()
            case 5: transfer = try reader.message()
            case 6: transferKey = try reader.text()
            case 7: isRenewal = try reader.flag()
            default: try reader.skip()
            }
        }
        guard let name else { throw .missingValue }
        self.init(
            name: name, kind: kind, url: url, userName: userName, transfer: transfer, transferKey: transferKey,
            isRenewal: isRenewal)
    }
}

extension CredentialQuestion: WireMessage {
    package func encode(into writer: inout WireWriter) {
        writer.unsigned(number, at: 1)
        writer.message(request, at: 2)
    }

    package init(from reader: inout WireReader) throws(WireError) {
        var number: UInt64 = 0
        var request: CredentialRequest?
        while let field = try reader.nextField() {
            switch field {
            case 1: number = try reader.unsigned()
            case 2: request = try reader.message()
            default: try reader.skip()
            }
        }
        guard let request else { throw .missingValue }
        self.init(number: number, request: request)
    }
}

extension CredentialReport: WireMessage {
    package func encode(into writer: inout WireWriter) {
        writer.texts(helper, at: 1)
        writer.integer(providers, at: 2)
        writer.integer(waiting, at: 3)
        writer.messages(entries, at: 4)
    }

    package init(from reader: inout WireReader) throws(WireError) {
        self.init()
        while let field = try reader.nextField() {
            switch field {
            case 1: helper.append(try reader.text())
            case 2: providers = try reader.integer()
            case 3: waiting = try reader.integer()
            case 4: entries.append(try reader.message())
            default: try reader.skip()
            }
        }
    }
}

extension CredentialReport.Entry: WireMessage {
    package func encode(into writer: inout WireWriter) {
        writer.text(name.description, at: 1)
        writer.text(origin, at: 2)
        writer.choice(state, at: 3)
        writer.message(failure, at: 4)
    }

    package init(from reader: inout WireReader) throws(WireError) {
        var name: CredentialName?
        var origin = ""
        var state = State.held
        var failure: TransferFailure?
        while let field = try reader.nextField() {
            switch field {
            case 1: name = try reader.credentialName()
            case 2: origin = try reader.text()
            case 3: state = try reader.choice()
            case 4: failure = try reader.message()
            default: try reader.skip()
            }
        }
        guard let name else { throw .missingValue }
        self.init(name: name, origin: origin, state: state, failure: failure)
    }
}
