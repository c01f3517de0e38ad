/// The heads of requests and responses as people read them, line by line: `> ` before what was asked, `< ` before what was answered.
///
/// Nothing secret is in it: neither values of fields that open doors nor queries, in which signed URLs carry the same.
package struct HeadTrace: Equatable, Sendable {
    /// What is longer is cut.
    private static let mostLines = 200
    private static let longestLine = 1_000

    private var lines: [String] = []

    package init() {}

    /// A request's head has left, with its line ends.
    package mutating func sent(_ head: UnsafeRawBufferPointer) {
        for line in head.split(separator: UInt8(ascii: "\n")) { note("> ", Array(line)) }
    }

    /// A line of a response's head has come.
    package mutating func received(_ line: UnsafeRawBufferPointer) { note("< ", Array(line)) }

    /// What there is since the last time; `nil` when that is nothing.
    package mutating func take() -> String? {
        defer { lines = [] }
        return lines.isEmpty ? nil : lines.joined(separator: "\n")
    }

    private mutating func note(_ mark: String, _ line: [UInt8]) {
        let text = String(decoding: line, as: UTF8.self).trimming(while: { $0.isWhitespace || $0.isNewline })
        guard !text.isEmpty, lines.count < Self.mostLines else { return }
        lines.append(mark + String(Self.shown(text).prefix(Self.longestLine)))
    }

    private static func shown(_ line: Substring) -> String {
        let name = line.prefix { $0 != ":" && $0 != " " }
        // The first line of a head has no colon before its first space: `GET /f?a=b HTTP/1.1`.
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
