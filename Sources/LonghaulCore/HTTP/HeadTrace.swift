/// The headers of requests and responses as readable lines: `> ` before those sent, `< ` before those received.
///
/// It contains no secrets: neither values of headers that grant access nor queries, because signed URLs carry secrets there.
package struct HeadTrace: Equatable, Sendable {
    /// Anything longer is truncated.
    private static let mostLines = 200
    private static let longestLine = 1_000

    private var lines: [String] = []

    package init() {}

    /// Adds a request's headers that have been sent, including line ends.
    package mutating func sent(_ head: UnsafeRawBufferPointer) {
        for line in head.split(separator: UInt8(ascii: "\n")) { add("> ", Array(line)) }
    }

    /// Adds a received line of a response's headers.
    package mutating func received(_ line: UnsafeRawBufferPointer) { add("< ", Array(line)) }

    /// Returns the lines since the last call; `nil` if there are none.
    package mutating func next() -> String? {
        defer { lines = [] }
        return lines.isEmpty ? nil : lines.joined(separator: "\n")
    }

    private mutating func add(_ mark: String, _ line: [UInt8]) {
        let text = String(decoding: line, as: UTF8.self).trimming(while: { $0.isWhitespace || $0.isNewline })
        guard !text.isEmpty, lines.count < Self.mostLines else { return }
        lines.append(mark + String(Self.shown(text).prefix(Self.longestLine)))
    }

    private static func shown(_ line: Substring) -> String {
        let name = line.prefix { $0 != ":" && $0 != " " }
        // The first line has no colon before its first space: `GET /f?a=b HTTP/1.1`.
        guard name.endIndex < line.endIndex, line[name.endIndex] == ":" else { return withoutQuery(line) }
        let value = line[name.endIndex...].dropFirst().trimming(while: \.isWhitespace)
        let field = HeaderField(String(name), String(value)).shown
        return field.name + ": " + field.value
    }

    private static func withoutQuery(_ line: Substring) -> String {
        let words = line.split(separator: " ", maxSplits: 2, omittingEmptySubsequences: false)
        guard words.count > 1, !line.hasPrefix("HTTP/"), let mark = words[1].firstIndex(of: "?") else {
            return String(line)
        }
        return ([words[0], words[1][..<mark] + "?(secret)"] + words.dropFirst(2)).joined(separator: " ")
    }
}
