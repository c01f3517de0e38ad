extension TransferID: WireRecord {
    package static var blank: Self { Self(high: 0, low: 0) }

    package mutating func fields(_ wire: inout WireFields) throws(WireError) {
        var (first, last) = (high, low)
        try wire.fixed(&first, 1)
        try wire.fixed(&last, 2)
        self = TransferID(high: first, low: last)
    }
}

extension SessionID: WireRecord, WireName {
    package static var blank: Self { commandLine }

    package mutating func fields(_ wire: inout WireFields) throws(WireError) {
        try wire.name(&self, 1)
    }
}

extension CredentialName: WireName {
    /// A placeholder until the name was read.
    static var blank: Self {
        guard let name = CredentialName("name") else { preconditionFailure("A word is a credential's name.") }
        return name
    }
}
