extension TransferFailure: WireRecord {
    package static var blank: Self { Self(.internalFault, "") }

    package mutating func fields(_ wire: inout WireFields) throws(WireError) {
        try wire.word(&code, 1)
        try wire.text(&summary, 2, isPath: true)
        try wire.cases(&origin)
        try wire.text(&serverMessage, 8)
        try wire.text(&advice, 9, isPath: true)
        try wire.message(&certificate, 10)
    }
}

extension ServerCertificate: WireRecord {
    package static var blank: Self {
        Self(
            origin: "", subject: "", issuer: "", validFrom: WallTime(microseconds: 0),
            validUntil: WallTime(microseconds: 0), fingerprint: "", publicKey: "")
    }

    package mutating func fields(_ wire: inout WireFields) throws(WireError) {
        try wire.text(&origin, 1)
        try wire.text(&subject, 2)
        try wire.text(&issuer, 3)
        try wire.time(&validUntil, 4)
        try wire.text(&fingerprint, 5)
        try wire.text(&publicKey, 6)
        try wire.time(&validFrom, 7)
    }
}

extension TrustedKey: WireRecord {
    package static var blank: Self { Self(origin: "", publicKey: "") }

    package mutating func fields(_ wire: inout WireFields) throws(WireError) {
        try wire.text(&origin, 1)
        try wire.text(&publicKey, 2)
    }
}

extension TransferFailure.Origin: WireCases {
    package static func cases(_ value: inout Self?, _ wire: inout WireFields) throws(WireError) {
        try wire.empty(&value, 3, .longhaul)
        try wire.integer(&value, 4, Self.curl) { if case .curl(let number) = $0 { number } else { nil } }
        try wire.integer(&value, 5, Self.status) { if case .status(let number) = $0 { number } else { nil } }
        try wire.integer(&value, 6, Self.system) { if case .system(let number) = $0 { number } else { nil } }
        try wire.integer(&value, 7, Self.sqlite) { if case .sqlite(let number) = $0 { number } else { nil } }
    }
}
