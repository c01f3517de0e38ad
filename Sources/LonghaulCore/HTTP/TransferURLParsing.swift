extension TransferURL {
    /// Parses an absolute URL. Nothing is trimmed or guessed; the failure says what to correct and quotes no secret.
    package init(parsing text: String) throws(TransferFailure) {
        if let plain = PlainURL.read(text) {
            self = plain
            return
        }
        if let first = text.unicodeScalars.first, let last = text.unicodeScalars.last,
            first.isWhiteSpace || last.isWhiteSpace
        {
            throw TransferFailure(.invalidURL, "The URL must not start or end with white space.")
        }
        self = try TransferURL(URLReference(text), .typed)
    }

    init(_ parts: URLReference, _ reading: URLReading) throws(TransferFailure) {
        let scheme = try Self.scheme(of: parts)
        guard let authority = parts.authority, !authority.isEmpty else { throw Self.noHost }
        var site = authority
        var userInfo: String?
        if let at = authority.lastIndex(of: UInt8(ascii: "@")) {
            guard !authority[..<at].contains(UInt8(ascii: "@")) else {
                throw TransferFailure(
                    .invalidURL, "The user name or the password in the URL contains an @. Write it as %40.")
            }
            userInfo = try reading.encode(authority[..<at])
            site = authority[(at + 1)...]
        }
        let (host, port) = try Self.split(site)
        self.init(
            scheme: scheme, userInfo: userInfo, host: try Self.host(host),
            port: try Self.port(port) ?? Self.defaultPort(of: scheme),
            path: parts.path.isEmpty ? "/" : try reading.encode(parts.path),
            query: try parts.query.map { given throws(TransferFailure) in try reading.encode(given) },
            fragment: try parts.fragment.map { given throws(TransferFailure) in try reading.encode(given) })
    }

    private static let noHost = TransferFailure(.invalidURL, "The URL has no host. Write it as https://host/path.")
    private static let strangeHost = TransferFailure(
        .invalidURL, "The host in the URL contains an invalid character. Check the host.")

    private static func scheme(of parts: URLReference) throws(TransferFailure) -> String {
        guard let bytes = parts.scheme else {
            throw TransferFailure(.invalidURL, "The URL has no scheme. Start it with https:// or http://.")
        }
        let scheme = String(decoding: bytes.map(\.lowercasedASCII), as: UTF8.self)
        guard scheme != "http", scheme != "https" else { return scheme }
        // `example.org:8080/file` parses as a scheme, but is a host without a scheme. The text before a colon may also be a user
        // name, so it is quoted only if it can only be a scheme.
        guard parts.authority != nil || ["file", "data", "mailto", "javascript", "blob", "about"].contains(scheme)
        else {
            throw TransferFailure(.invalidURL, "The URL has no scheme. Start it with https:// or http://.")
        }
        throw TransferFailure(
            .unsupportedScheme, "Longhaul does not support \(scheme) URLs. Use an https or http URL.")
    }

    /// Splits `host:port`, where the host may be an IPv6 address in brackets.
    private static func split(
        _ site: ArraySlice<UInt8>
    ) throws(TransferFailure) -> (host: ArraySlice<UInt8>, port: ArraySlice<UInt8>?) {
        var colon = site.firstIndex(of: UInt8(ascii: ":"))
        if site.first == UInt8(ascii: "[") {
            guard let bracket = site.firstIndex(of: UInt8(ascii: "]")) else { throw strangeHost }
            let next = bracket + 1
            guard next == site.endIndex || site[next] == UInt8(ascii: ":") else { throw strangeHost }
            colon = next == site.endIndex ? nil : next
        }
        guard let colon else { return (site, nil) }
        return (site[..<colon], site[(colon + 1)...])
    }

    private static func port(_ digits: ArraySlice<UInt8>?) throws(TransferFailure) -> Int? {
        guard let digits, !digits.isEmpty else { return nil }
        guard let number = DecimalField.parse(bytes: digits), (1...65_535).contains(number) else {
            throw TransferFailure(
                .invalidURL, "The port in the URL must be a number from 1 to 65535.")
        }
        return Int(number)
    }

    private static func host(_ bytes: ArraySlice<UInt8>) throws(TransferFailure) -> String {
        guard !bytes.isEmpty else { throw noHost }
        let host = String(decoding: bytes.map(\.lowercasedASCII), as: UTF8.self)
        if bytes.first == UInt8(ascii: "[") {
            guard isIPv6(bytes.dropFirst().dropLast()) else { throw strangeHost }
            return host
        }
        let isName = bytes.allSatisfy { byte in
            byte.isASCIILetter || byte.isASCIIDigit || byte >= 0x80 || "-._~".utf8.contains(byte)
        }
        guard isName, bytes.contains(where: { $0 != UInt8(ascii: ".") }), !hasInvisible(host) else { throw strangeHost }
        return host
    }

    /// Checks only the alphabet; the resolver checks the address. A zone may follow (RFC 6874).
    private static func isIPv6(_ bytes: ArraySlice<UInt8>) -> Bool {
        let address = bytes.prefix { $0 != UInt8(ascii: "%") }
        let zone = bytes[address.endIndex...]
        let isAddress = address.allSatisfy { byte in
            byte.hexDigitValue != nil || byte == UInt8(ascii: ":") || byte == UInt8(ascii: ".")
        }
        guard isAddress, address.count(where: { $0 == UInt8(ascii: ":") }) >= 2 else { return false }
        guard !zone.isEmpty else { return true }
        return zone.starts(with: "%25".utf8) && zone.count > 3
            && zone.dropFirst(3).allSatisfy { $0.isASCIILetter || $0.isASCIIDigit || "-._~".utf8.contains($0) }
    }

    /// Whether a name contains invisible characters, which could make it look like another one.
    private static func hasInvisible(_ host: String) -> Bool {
        host.unicodeScalars.contains { scalar in
            guard !scalar.isASCII else { return false }
            return switch scalar.properties.generalCategory {
            case .control, .format, .lineSeparator, .paragraphSeparator, .spaceSeparator: true
            default: false
            }
        }
    }
}

extension Unicode.Scalar {
    /// The Unicode tables are needed only for non-ASCII characters.
    fileprivate var isWhiteSpace: Bool {
        isASCII ? value == 0x20 || (0x09...0x0D).contains(value) : properties.isWhitespace
    }
}
