package import LonghaulCore

/// Reads a list of downloads as aria2 writes it: each URL on its own line, then indented lines with its options.
package struct InputList {
    /// One URL and its options, with the number of its line.
    package struct Entry: Equatable, Sendable {
        var line: Int
        var url: String
        /// The other sources that the line named.
        var mirrors: [String] = []
        var fileName: String?
        var directory: String?
        var headers: [HeaderField] = []
        var digest: Digest?
        /// The largest number of connections.
        var segments: Int?
        var rateLimit: Int64?
        /// Options that have no effect here.
        var ignoredOptions: [String] = []
    }

    /// A complete entry, or a fault.
    package enum Item: Equatable, Sendable {
        case entry(Entry)
        case problem(line: Int, TransferFailure)
    }

    private var current: Entry?
    /// Whether options are skipped, because their entry was refused.
    private var skipsOptions = false
    private var line = 0

    package init() {}

    /// Parses the next line, without its end.
    package mutating func parse(_ text: String) -> Item? {
        line += 1
        // Editors of other systems start a text with a mark (U+FEFF).
        let text = line == 1 && text.unicodeScalars.first == "\u{FEFF}" ? String(text.unicodeScalars.dropFirst()) : text
        let content = Substring(text.utf8.trimming { $0.isBlank || $0 == 0x0D })
        guard let first = text.utf8.first, !content.isEmpty, first != UInt8(ascii: "#") else { return nil }
        if first == UInt8(ascii: " ") || first == UInt8(ascii: "\t") { return takeOption(content) }
        let done = finish()
        let sources = content.utf8.split(separator: UInt8(ascii: "\t")).map(Substring.init)
        current = Entry(line: line, url: String(sources[0]), mirrors: sources.dropFirst().map(String.init))
        return done
    }

    /// The last entry, once there are no more lines.
    package mutating func finish() -> Item? {
        defer { (current, skipsOptions) = (nil, false) }
        return current.map { .entry($0) }
    }

    private mutating func takeOption(_ text: Substring) -> Item? {
        if skipsOptions { return nil }
        guard var entry = current else {
            return .problem(
                line: line, .usage("An option stands before the first URL. URLs must begin in the first column."))
        }
        do throws(TransferFailure) {
            try Self.apply(text, to: &entry)
            current = entry
            return nil
        } catch {
            // The user chose the option, so a download without it would be another one.
            (current, skipsOptions) = (nil, true)
            return .problem(line: line, error)
        }
    }

    /// Refuses text with replacement characters: it was not UTF-8, and would name another file.
    static func checkReadable(_ text: some StringProtocol) throws(TransferFailure) {
        guard !text.unicodeScalars.contains("\u{FFFD}") else {
            throw .usage("This line contains invalid UTF-8. Save the list as UTF-8.")
        }
    }

    private static func apply(_ text: Substring, to entry: inout Entry) throws(TransferFailure) {
        try checkReadable(text)
        guard let equals = text.firstIndex(of: "=") else {
            throw .usage("An option must be written name=value, not \"\(text)\".")
        }
        let value = String(text[text.index(after: equals)...])
        switch text[..<equals] {
        case "out": entry.fileName = value
        case "dir": entry.directory = value
        case "header": entry.headers.append(try TransferTemplate.header(value))
        case "checksum": entry.digest = try digest(value)
        case "user-agent": entry.headers.append(try LocalCheck.header("User-Agent", value))
        case "referer": entry.headers.append(try LocalCheck.header("Referer", value))
        case "split", "max-connection-per-server":
            // With aria2 both hold.
            entry.segments = min(try segments(value, of: text[..<equals]), entry.segments ?? .max)
        case "max-download-limit": entry.rateLimit = try TransferTemplate.rateLimit(value, of: "max-download-limit")
        // The other options of aria2 concern how it works, not the file.
        default: entry.ignoredOptions.append(DisplayText.clean(String(text[..<equals])))
        }
    }

    private static func segments(_ text: String, of option: Substring) throws(TransferFailure) -> Int {
        guard let number = Int(text), number > 0 else {
            throw .usage("\(option) must be a whole number from 1 on, not \"\(text)\".")
        }
        return min(number, SegmentPolicy.mostChosen)
    }

    /// Reads `sha-256=HEX` and the like.
    static func digest(_ text: String) throws(TransferFailure) -> Digest {
        let parts = text.split(maxSplits: 1) { "=:".contains($0) }
        guard parts.count == 2, let algorithm = Digest.Algorithm(name: String(parts[0])),
            let digest = Digest(algorithm: algorithm, hexadecimal: String(parts[1]))
        else {
            throw .usage(
                "A checksum must be sha-256=HEX, sha-512=HEX, sha-1=HEX, or md5=HEX with all its digits, not \"\(text)\"."
            )
        }
        return digest
    }
}
