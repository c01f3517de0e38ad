/// The `Content-Disposition` of a response (RFC 6266).
package enum ContentDisposition {
    /// Returns the file name that the server suggests, unchanged: `SafeFileName` must sanitize it before use.
    ///
    /// `filename*` (RFC 8187) takes precedence over `filename` unless it is malformed. A repeated parameter invalidates the whole
    /// header (RFC 6266, section 4.1), as does a syntax error; empty parameters are accepted, because many servers end the header
    /// with a semicolon.
    package static func fileName(_ value: String) -> String? {
        guard let parameters = parameters(of: value) else { return nil }
        if let extended = parameters["filename*"], !extended.isQuoted, let name = decode(extended.bytes), !name.isEmpty
        {
            return name
        }
        guard let plain = parameters["filename"], !plain.bytes.isEmpty else { return nil }
        return String(decoding: plain.bytes, as: UTF8.self)
    }

    private struct Parameter {
        var bytes: [UInt8]
        var isQuoted: Bool
    }

    /// Returns the parameters by lowercase name; `nil` after a syntax error or a repeated name.
    private static func parameters(of value: String) -> [String: Parameter]? {
        var scanner = FieldScanner(value)
        scanner.skipSpaces()
        guard !scanner.takeWhile(\.isTokenByte).isEmpty else { return nil }
        var parameters: [String: Parameter] = [:]
        while true {
            scanner.skipSpaces()
            if scanner.isAtEnd { return parameters }
            guard scanner.read(";") else { return nil }
            scanner.skipSpaces()
            if scanner.isAtEnd || scanner.next == UInt8(ascii: ";") { continue }
            let name = String(decoding: scanner.takeWhile(\.isTokenByte), as: UTF8.self).lowercased()
            scanner.skipSpaces()
            guard !name.isEmpty, parameters[name] == nil, scanner.read("=") else { return nil }
            scanner.skipSpaces()
            guard let parameter = takeValue(&scanner) else { return nil }
            parameters[name] = parameter
        }
    }

    /// Reads a quoted string, or a token that may contain non-ASCII letters, because those are unambiguous.
    private static func takeValue(_ scanner: inout FieldScanner) -> Parameter? {
        if scanner.next == UInt8(ascii: "\"") {
            return scanner.takeQuotedString().map { Parameter(bytes: $0, isQuoted: true) }
        }
        let token = scanner.takeWhile { $0.isTokenByte || $0 >= 0x80 }
        return token.isEmpty ? nil : Parameter(bytes: Array(token), isQuoted: false)
    }

    /// `charset'language'percent-encoded` in UTF-8 or ISO-8859-1 (RFC 8187, section 3.2).
    private static func decode(_ value: [UInt8]) -> String? {
        let parts = value.split(separator: UInt8(ascii: "'"), maxSplits: 2, omittingEmptySubsequences: false)
        guard parts.count == 3, parts[2].allSatisfy({ $0 < 0x80 && $0 != UInt8(ascii: "'") }),
            let bytes = PercentCoding.decode(parts[2])
        else { return nil }
        switch String(decoding: parts[0], as: UTF8.self).lowercased() {
        case "utf-8": return String(validating: bytes, as: UTF8.self)
        case "iso-8859-1": return String(String.UnicodeScalarView(bytes.map { Unicode.Scalar($0) }))
        default: return nil
        }
    }
}
