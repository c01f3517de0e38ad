/// An entity tag (RFC 9110, section 8.8.3).
package struct EntityTag: Equatable, Sendable {
    /// Whether it only means that two versions are similar; such a tag protects no range.
    package let isWeak: Bool
    /// The text between the quotes.
    package let opaque: String

    /// Parses `"x"` or `W/"x"`; `nil` for anything else.
    package init?(_ text: String) {
        var scanner = FieldScanner(text)
        isWeak = scanner.read("W")
        if isWeak, !scanner.read("/") { return nil }
        guard scanner.read("\"") else { return nil }
        let bytes = scanner.takeWhile { $0 != UInt8(ascii: "\"") && $0 > 0x20 && $0 != 0x7F }
        guard scanner.read("\""), scanner.isAtEnd else { return nil }
        opaque = String(decoding: bytes, as: UTF8.self)
    }

    /// Returns the strong comparison: both are strong and have the same bytes.
    package func matchesStrongly(_ other: EntityTag) -> Bool {
        self == other && !isWeak
    }

    /// Compares bytes, because `String` treats two encodings of one character as equal.
    package static func == (left: EntityTag, right: EntityTag) -> Bool {
        left.isWeak == right.isWeak && left.opaque.utf8.elementsEqual(right.opaque.utf8)
    }
}
