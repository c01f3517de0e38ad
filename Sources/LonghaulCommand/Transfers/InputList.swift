package import LonghaulCore

/// Reads a list of downloads as aria2 writes it: a URL on a line of its own, then indented lines with its options.
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
        /// Over how many connections it may come.
        var segments: Int?
        var rateLimit: Int64?
        /// Options that mean nothing here.
        var ignoredOptions: [String] = []
    }

    /// What a line, or an entry that has become complete, comes to.
    package enum Item: Equatable, Sendable {
        case entry(Entry)
        case problem(line: Int, TransferFailure)
    }

    private var current: Entry?
    /// The options of an entry that was refused belong to nothing.
    private var skipsOptions = false
    private var line = 0

    package init() {}

    /// Takes the next line, without its end.
    package mutating func take(_ text: String) -> Item? {
        line += 1
        // Editors of other systems begin a text with a mark (U+FEFF).
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
            return .problem(line: line, .usage("an option stands before the first URL; begin URLs in the first column"))
        }
        do throws(TransferFailure) {
            try Self.apply(text, to: &entry)
            current = entry
            return nil
        } catch {
            // Without an option that was asked for, the download would not be the one that was meant.
            (current, skipsOptions) = (nil, true)
            return .problem(line: line, error)
        }
    }

    /// What is not UTF-8 has been mended where it was read, and would lead to another file than the one that was meant.
    static func checkReadable(_ text: some StringProtocol) throws(TransferFailure) {
        guard !text.unicodeScalars.contains("\u{FFFD}") else {
            throw .usage("a character of this line could not be read; write the list in UTF-8")
        }
    }

    private static func apply(_ text: Substring, to entry: inout Entry) throws(TransferFailure) {
        try checkReadable(text)
        guard let equals = text.firstIndex(of: "=") else {
            throw .usage("an option is written name=value, not \"\(text)\"")
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
        // 0 is aria2's word for no limit.
        case "max-download-limit" where value != "0":
            entry.rateLimit = try TransferTemplate.rateLimit(value, of: "max-download-limit")
        case "max-download-limit": break
        // What aria2 says about how it works, and what nobody knows, changes nothing about what comes.
        default: entry.ignoredOptions.append(DisplayText.clean(String(text[..<equals])))
        }
    }

    private static func segments(_ text: String, of option: Substring) throws(TransferFailure) -> Int {
        guard let number = Int(text), number > 0 else {
            throw .usage("\(option) takes a whole number from 1 on, not \"\(text)\"")
        }
        return min(number, SegmentPolicy.mostChosen)
    }

    /// Reads `sha-256=HEX` and the like.
    static func digest(_ text: String) throws(TransferFailure) -> Digest {
        let parts = text.split(separator: "=", maxSplits: 1)
        guard parts.count == 2, let algorithm = Digest.Algorithm(name: String(parts[0])),
            let digest = Digest(algorithm: algorithm, hexadecimal: String(parts[1]))
        else {
            throw .usage("a checksum is written sha-256=HEX, sha-512=HEX, sha-1=HEX or md5=HEX with all its digits")
        }
        return digest
    }
}
