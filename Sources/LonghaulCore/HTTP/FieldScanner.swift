/// Reads a header value from left to right.
struct FieldScanner {
    private let bytes: [UInt8]
    private var position = 0

    init(_ text: some StringProtocol) {
        bytes = Array(text.utf8)
    }

    var isAtEnd: Bool { position == bytes.count }

    /// The next byte.
    var next: UInt8? { position < bytes.count ? bytes[position] : nil }

    mutating func read() -> UInt8? {
        guard let byte = next else { return nil }
        position += 1
        return byte
    }

    /// Reads `character` if it comes next.
    mutating func read(_ character: Unicode.Scalar) -> Bool {
        guard next == UInt8(ascii: character) else { return false }
        position += 1
        return true
    }

    mutating func takeWhile(_ belongs: (UInt8) -> Bool) -> ArraySlice<UInt8> {
        let start = position
        while position < bytes.count, belongs(bytes[position]) { position += 1 }
        return bytes[start..<position]
    }

    /// Reads optional white space (`OWS`).
    mutating func skipSpaces() {
        while next == UInt8(ascii: " ") || next == UInt8(ascii: "\t") { position += 1 }
    }

    /// Reads exactly `count` digits.
    mutating func takeNumber(digits count: Int) -> Int? {
        guard bytes.count - position >= count else { return nil }
        var value = 0
        for byte in bytes[position..<position + count] {
            guard byte.isASCIIDigit else { return nil }
            value = value * 10 + Int(byte - UInt8(ascii: "0"))
        }
        position += count
        return value
    }

    /// Reads `1*DIGIT` up to 2^63-1.
    mutating func takeDecimal() -> Int64? {
        DecimalField.parse(bytes: takeWhile(\.isASCIIDigit))
    }

    /// Reads a quoted string (RFC 9110, section 5.6.4), with its escapes resolved.
    mutating func takeQuotedString() -> [UInt8]? {
        guard read("\"") else { return nil }
        var content: [UInt8] = []
        while let byte = read() {
            switch byte {
            case UInt8(ascii: "\""): return content
            case UInt8(ascii: "\\"):
                guard let escaped = read() else { return nil }
                content.append(escaped)
            default: content.append(byte)
            }
        }
        return nil
    }
}
