/// One challenge of `WWW-Authenticate` (RFC 9110, section 11.6.1): a scheme and its parameters.
package struct Challenge: Equatable, Sendable {
    /// In lowercase.
    package var scheme: String
    /// By name in lowercase.
    package var parameters: [String: String] = [:]

    package init(scheme: String) { self.scheme = scheme }

    /// Returns all challenges of a response's headers, in order. A syntax error ends the parsing of its header.
    package static func all(in fields: [String]) -> [Challenge] {
        var challenges: [Challenge] = []
        for field in fields {
            var scanner = FieldScanner(field)
            while let word = nextWord(&scanner) {
                if let value = takeValue(&scanner) {
                    guard let last = challenges.indices.last else { break }
                    challenges[last].parameters[word] = value
                } else {
                    challenges.append(Challenge(scheme: word))
                    skipToken68(&scanner)
                }
            }
        }
        return challenges
    }

    private static func nextWord(_ scanner: inout FieldScanner) -> String? {
        _ = scanner.takeWhile { $0 == UInt8(ascii: ",") || $0 == UInt8(ascii: " ") || $0 == UInt8(ascii: "\t") }
        let word = scanner.takeWhile(\.isTokenByte)
        return word.isEmpty ? nil : String(decoding: word, as: UTF8.self).lowercased()
    }

    /// Returns the value after an equals sign; `nil` if there is none, so that the preceding word is a scheme.
    private static func takeValue(_ scanner: inout FieldScanner) -> String? {
        var ahead = scanner
        ahead.skipSpaces()
        guard ahead.read("=") else { return nil }
        ahead.skipSpaces()
        let value = ahead.next == UInt8(ascii: "\"") ? ahead.takeQuotedString() : Array(ahead.takeWhile(\.isTokenByte))
        scanner = ahead
        return String(decoding: value ?? [], as: UTF8.self)
    }

    /// Some schemes have one long token instead of parameters.
    private static func skipToken68(_ scanner: inout FieldScanner) {
        var ahead = scanner
        ahead.skipSpaces()
        let word = ahead.takeWhile { $0.isTokenByte || $0 == UInt8(ascii: "/") }
        let padding = ahead.takeWhile { $0 == UInt8(ascii: "=") }
        ahead.skipSpaces()
        // A parameter has one equals sign followed by a value.
        let isOver = ahead.isAtEnd || ahead.next == UInt8(ascii: ",")
        if !word.isEmpty, isOver, !padding.isEmpty || word.contains(UInt8(ascii: "/")) || word.count > 16 {
            scanner = ahead
        }
    }
}
