/// Checks of a submitted transfer, and its first record.
extension TransferRecord {
    /// Returns the first record of a submitted transfer, and the origin that counts against the limit per host.
    package static func accept(
        _ spec: TransferSpec, id: TransferID, at now: WallTime
    ) throws(TransferFailure) -> (record: TransferRecord, host: String) {
        let url = try check(spec)
        var record = TransferRecord(id: id, spec: spec, state: .paused, createdAt: now)
        record.facts.bytesTotal = spec.knownLength
        record.state = .waiting(record.waitBeforeTurn(at: now))
        return (record, url.origin)
    }

    /// Parses the URL. Fails if the spec is invalid.
    @discardableResult
    static func check(_ spec: TransferSpec) throws(TransferFailure) -> TransferURL {
        let url = try TransferURL(parsing: spec.url)
        try spec.checkText()
        try checkCredential(spec)
        // A server may leave the body of a HEAD unread and wait for nothing (RFC 9110, sections 9.3.2 and 9.3.8).
        guard !["HEAD", "TRACE"].contains(spec.method) || !spec.hasBody else {
            throw TransferFailure(
                .invalidArgument, "A \(spec.method) request must not have a body. Choose another method.")
        }
        if spec.options.key == "" { throw TransferFailure(.invalidArgument, "A key must not be empty.") }
        guard TransferAdjustment.priorities.contains(spec.options.priority) else {
            throw TransferFailure(.invalidArgument, "A priority must be a number from -1000000 to 1000000.")
        }
        guard (1...SegmentPolicy.mostChosen).contains(spec.options.segments ?? 1) else {
            throw TransferFailure(
                .invalidArgument, "The number of connections must be from 1 to \(SegmentPolicy.mostChosen).")
        }
        guard spec.options.responseLimit >= 0 else {
            throw TransferFailure(.invalidArgument, "The size limit of a kept response must not be negative.")
        }
        try checkMirrors(spec)
        if let failure = spec.options.conditions.refusal { throw failure }
        if let failure = spec.network.refusal(hasBody: spec.hasBody, url: url) { throw failure }
        for source in spec.sources where !source.path.hasPrefix("/") {
            throw TransferFailure(.invalidArgument, "The path of a source must be absolute, not \(source.path).")
        }
        switch spec.work {
        case .download(let download):
            if let failure = download.refusal { throw failure }
            guard download.directory.hasPrefix("/") else {
                throw TransferFailure(.invalidArgument, "The directory of a download must be absolute.")
            }
            if let field = spec.headers.first(where: { isConditional($0.name) }) {
                throw TransferFailure(
                    .invalidArgument,
                    "The header \(field.name) must not be set for a download: Longhaul requests ranges and versions itself."
                )
            }
            if let name = download.fileName, name.isEmpty || name == "." || name == ".." || name.contains("/") {
                throw TransferFailure(.invalidArgument, "\"\(name)\" is not a file name.")
            }
        case .upload(.form(let boundary, let parts)):
            if let failure = FormLayout.check(boundary: boundary) ?? FormLayout.check(parts: parts) { throw failure }
        case .upload(.tus(_, let metadata)):
            _ = try UploadMetadata.encode(metadata)
        case .upload(.raw), .request: break
        }
        if let key = spec.options.idempotencyKey, StructuredString.encode(key) == nil {
            throw TransferFailure(
                .invalidArgument, "An idempotency key must have only printable ASCII characters. Choose another key.")
        }
        return url
    }

    private static func checkMirrors(_ spec: TransferSpec) throws(TransferFailure) {
        guard !spec.options.mirrors.isEmpty else { return }
        guard case .download = spec.work else {
            throw TransferFailure(.invalidArgument, "Only a download can have mirrors.")
        }
        guard spec.options.mirrors.count < MirrorTable.mostPlaces else {
            throw TransferFailure(
                .invalidArgument, "A download can have at most \(MirrorTable.mostPlaces - 1) mirrors.")
        }
        for mirror in spec.options.mirrors { _ = try TransferURL(parsing: mirror) }
    }

    private static func checkCredential(_ spec: TransferSpec) throws(TransferFailure) {
        guard let name = spec.options.credential else {
            guard spec.options.credentialKind == .authorization else {
                throw TransferFailure(
                    .invalidArgument, "A renewable URL needs the name of a credential.")
            }
            return
        }
        guard spec.options.credentialName != nil else { throw CredentialName.refusal }
        if spec.options.credentialKind == .authorization, !spec.headers.all("Authorization").isEmpty {
            throw TransferFailure(
                .invalidArgument,
                "The credential \(name) and the header Authorization exclude each other. Remove one of them.")
        }
    }

    /// Returns whether a header makes a request conditional: ranges and preconditions (RFC 9110, sections 13.1 and 14.2).
    private static func isConditional(_ name: String) -> Bool {
        let name = name.lowercased()
        return name == "range" || name.hasPrefix("if-")
    }
}

extension TransferSpec {
    /// Checks the text that reaches a header, libcurl, or another program. Fields with their own syntax are checked with it.
    fileprivate func checkText() throws(TransferFailure) {
        for field in headers {
            if let failure = OutgoingText.fault(inHeader: field.name, field.value) { throw failure }
        }
        guard OutgoingText.isMethod(method) else {
            throw TransferFailure(.invalidArgument, "A method must be in capital letters, such as GET or PUT.")
        }
        guard strings.allSatisfy(OutgoingText.isCString) else {
            throw TransferFailure(
                .invalidArgument, "A path, a proxy, or a password must not contain a NUL character.")
        }
    }

    /// The text that libcurl, other programs, and the system get as C strings.
    private var strings: [String] {
        let certificate = network.clientCertificate
        var strings = [
            network.caFile, network.cookieFile, network.cookieJar, network.proxyCAFile, network.pinnedPublicKeys,
            network.proxy, network.proxyExceptions, certificate?.certificate, certificate?.key, certificate?.password,
        ]
        if let download {
            strings += [
                download.directory, download.fileName, download.signature?.keyring, download.foreign?.file.path,
            ]
        }
        return strings.compactMap(\.self) + sources.map(\.path)
    }

    fileprivate var hasBody: Bool {
        switch work {
        case .download: false
        case .upload: true
        case .request(let body): !body.isEmpty
        }
    }
}
