extension TransferSpec: WireRecord {
    /// Its options are one object for all, because each message that is read begins with a blank one.
    package static let blank = Self(work: .request(body: []), method: "", url: "")

    package mutating func fields(_ wire: inout WireFields) throws(WireError) {
        try wire.cases(&work)
        try wire.text(&method, 4)
        try wire.text(&url, 5)
        var list = headers
        try wire.messages(&list, 6)
        if wire.isReading { headers = list }
        try wire.message(&sharedOptions, 7)
        try wire.message(&sharedNetwork, 8)
    }

    package mutating func complete() {
        if method.isEmpty { method = work.usualMethod }
    }
}

extension TransferSpec.Work: WireCases {
    package static func cases(_ value: inout Self?, _ wire: inout WireFields) throws(WireError) {
        try wire.message(&value, 1, Self.download) { if case .download(let download) = $0 { download } else { nil } }
        try wire.message(&value, 2, Self.upload) { if case .upload(let upload) = $0 { upload } else { nil } }
        try wire.data(&value, 3, Self.request) { if case .request(let body) = $0 { body } else { nil } }
    }
}

extension DownloadSpec: WireRecord {
    package static var blank: Self { Self(directory: "") }

    package mutating func fields(_ wire: inout WireFields) throws(WireError) {
        try wire.text(&directory, 1, isPath: true)
        try wire.text(&fileName, 2)
        try wire.choice(&collision, 3)
        try wire.message(&expectedDigest, 4)
        try wire.integer(&creationMask, 5)
        try wire.flag(&keepsRemoteTime, 6)
        try wire.time(&unchangedSince, 7)
        try wire.message(&range, 8)
        try wire.message(&signature, 9)
        try wire.flag(&isFollowed, 10)
        try wire.length(&expectedLength, 11)
        try wire.message(&pieces, 12)
        try wire.flag(&repairs, 13)
        try wire.message(&foreign, 14)
        try wire.message(&existing, 15)
        try wire.text(&mountPoint, 16, isPath: true)
    }
}

extension ExistingFile: WireRecord {
    package static var blank: Self { Self(size: 0, test: .digest) }

    package mutating func fields(_ wire: inout WireFields) throws(WireError) {
        try wire.length(&size, 1)
        try wire.choice(&test, 2)
    }
}

extension ForeignPartial: WireRecord {
    package static var blank: Self { Self(file: .blank, begunAt: nil) }

    package mutating func fields(_ wire: inout WireFields) throws(WireError) {
        try wire.required(&file, 1)
        try wire.time(&begunAt, 2)
    }
}

extension PieceDigests: WireRecord {
    package static var blank: Self { Self(algorithm: .md5, length: 0, digests: []) }

    package mutating func fields(_ wire: inout WireFields) throws(WireError) {
        try wire.choice(&algorithm, 1)
        try wire.length(&length, 2)
        try wire.data(&digests, 3)
    }
}

extension FilePart: WireRecord {
    package static var blank: Self { Self(first: 0, last: nil) }

    package mutating func fields(_ wire: inout WireFields) throws(WireError) {
        try wire.signed(&first, 1)
        try wire.signed(&last, 2)
    }
}

extension DetachedSignature: WireRecord {
    package static var blank: Self { Self(bytes: [], keyring: "") }

    package mutating func fields(_ wire: inout WireFields) throws(WireError) {
        try wire.data(&bytes, 1)
        try wire.text(&keyring, 2, isPath: true)
    }
}

extension UploadSpec: WireChoice {
    package static func cases(_ value: inout Self?, _ wire: inout WireFields) throws(WireError) {
        try wire.message(&value, 1, Self.raw) { if case .raw(let source) = $0 { source } else { nil } }
        try wire.message(&value, 2, { Self.form(boundary: $0.boundary, parts: $0.parts) }, \.form)
        try wire.message(&value, 3, { Self.tus($0.source, metadata: $0.metadata) }, \.tus)
    }

    private var form: FormBody? {
        if case .form(let boundary, let parts) = self { FormBody(boundary: boundary, parts: parts) } else { nil }
    }

    private var tus: TusBody? {
        if case .tus(let source, let metadata) = self { TusBody(source: source, metadata: metadata) } else { nil }
    }
}
