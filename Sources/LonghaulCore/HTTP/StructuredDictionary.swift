/// The byte sequences of a structured-field dictionary (RFC 9651, section 3.2).
///
/// Members and parameters of other types are skipped, so that an unknown one does not hide a known one.
struct StructuredDictionary {
    /// The last value of each key.
    private(set) var byteSequences: [String: [UInt8]] = [:]

    /// Returns `nil` after a syntax error: then no part of the header may be used.
    init?(_ text: String) {
        var scanner = FieldScanner(text)
        scanner.skipSpaces()
        while !scanner.isAtEnd {
            guard let key = Self.takeKey(&scanner) else { return nil }
            byteSequences[key] = nil
            if scanner.read("=") {
                guard let item = Self.takeMember(&scanner) else { return nil }
                if case .bytes(let bytes) = item { byteSequences[key] = bytes }
            }
            guard Self.skipParameters(&scanner) else { return nil }
            scanner.skipSpaces()
            if scanner.isAtEnd { return }
            guard scanner.read(",") else { return nil }
            scanner.skipSpaces()
            if scanner.isAtEnd { return nil }
        }
    }

    private enum Item {
        case bytes([UInt8])
        case other
    }

    private static func takeKey(_ scanner: inout FieldScanner) -> String? {
        let key = scanner.takeWhile { byte in
            byte.isASCIIDigit || (byte.isASCIILetter && byte == byte.lowercasedASCII) || "_-.*".utf8.contains(byte)
        }
        guard let first = key.first, first.isASCIILetter || first == UInt8(ascii: "*") else { return nil }
        return String(decoding: key, as: UTF8.self)
    }

    private static func takeMember(_ scanner: inout FieldScanner) -> Item? {
        guard scanner.read("(") else { return takeItem(&scanner) }
        scanner.skipSpaces()
        while !scanner.read(")") {
            guard takeItem(&scanner) != nil, skipParameters(&scanner) else { return nil }
            guard scanner.next == UInt8(ascii: " ") || scanner.next == UInt8(ascii: ")") else { return nil }
            scanner.skipSpaces()
        }
        return .other
    }

    private static func skipParameters(_ scanner: inout FieldScanner) -> Bool {
        while scanner.read(";") {
            scanner.skipSpaces()
            guard takeKey(&scanner) != nil else { return false }
            if scanner.read("="), takeItem(&scanner) == nil { return false }
        }
        return true
    }

    private static func takeItem(_ scanner: inout FieldScanner) -> Item? {
        switch scanner.next {
        case UInt8(ascii: ":"):
            _ = scanner.read()
            let text = scanner.takeWhile { $0 != UInt8(ascii: ":") }
            guard scanner.read(":"), let bytes = Base64.decode(bytes: text) else { return nil }
            return .bytes(bytes)
        case UInt8(ascii: "\""):
            return scanner.takeQuotedString() == nil ? nil : .other
        case UInt8(ascii: "%"):
            _ = scanner.read()
            return scanner.takeQuotedString() == nil ? nil : .other
        case UInt8(ascii: "?"), UInt8(ascii: "@"):
            _ = scanner.read()
            return takeNumber(&scanner)
        case .some(let byte) where byte.isASCIIDigit || byte == UInt8(ascii: "-"):
            return takeNumber(&scanner)
        case .some(let byte) where byte.isASCIILetter || byte == UInt8(ascii: "*"):
            _ = scanner.takeWhile { $0.isTokenByte || $0 == UInt8(ascii: ":") || $0 == UInt8(ascii: "/") }
            return .other
        default:
            return nil
        }
    }

    private static func takeNumber(_ scanner: inout FieldScanner) -> Item? {
        _ = scanner.read("-")
        guard !scanner.takeWhile({ $0.isASCIIDigit || $0 == UInt8(ascii: ".") }).isEmpty else { return nil }
        return .other
    }
}
