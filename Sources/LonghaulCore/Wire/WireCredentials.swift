extension Credential: WireChoice {
    package static func cases(_ value: inout Self?, _ wire: inout WireFields) throws(WireError) {
        try wire.message(&value, 1, { Self.basic(userName: $0.first, password: $0.second) }, \.pair)
        try wire.text(&value, 2, Self.bearer) { if case .bearer(let token) = $0 { token } else { nil } }
        try wire.message(&value, 3, Self.header) { if case .header(let field) = $0 { field } else { nil } }
        try wire.message(&value, 4, { Self.url($0.url, headers: $0.headers) }, \.link)
    }

    private var pair: TextPair? {
        if case .basic(let userName, let password) = self { TextPair(first: userName, second: password) } else { nil }
    }

    private var link: Link? {
        if case .url(let url, let headers) = self { Link(url: url, headers: headers) } else { nil }
    }
}

extension CredentialRequest: WireRecord {
    package static var blank: Self {
        Self(
            name: .blank, kind: CredentialKind.authorization, url: "", userName: nil, transfer: nil, transferKey: nil,
            isRenewal: false)
    }

    package mutating func fields(_ wire: inout WireFields) throws(WireError) {
        try wire.name(&credentialName, 1)
        try wire.choice(&kind, 2)
        try wire.text(&url, 3)
        try wire.text(&userName, 4)
        try wire.message(&transfer, 5)
        try wire.text(&transferKey, 6)
        try wire.flag(&isRenewal, 7)
    }
}

extension CredentialQuestion: WireRecord {
    package static var blank: Self {
        Self(number: 0, request: .blank)
    }

    package mutating func fields(_ wire: inout WireFields) throws(WireError) {
        try wire.unsigned(&number, 1)
        try wire.required(&request, 2)
    }
}

extension CredentialReport: WireRecord {
    package static var blank: Self { Self() }

    package mutating func fields(_ wire: inout WireFields) throws(WireError) {
        try wire.texts(&helper, 1)
        try wire.integer(&providers, 2)
        try wire.integer(&waiting, 3)
        try wire.messages(&entries, 4)
    }
}

extension CredentialReport.Entry: WireRecord {
    package static var blank: Self {
        Self(name: .blank, origin: "", state: State.held, failure: nil)
    }

    package mutating func fields(_ wire: inout WireFields) throws(WireError) {
        try wire.name(&name, 1)
        try wire.text(&origin, 2)
        try wire.choice(&state, 3)
        try wire.message(&failure, 4)
    }
}
