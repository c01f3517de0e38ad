import LonghaulCore

/// Several URLs in one, as curl writes them: `{a,b}` is each of these words, `[1-100]`, `[001-100:5]` and `[a-z]` each number or letter.
struct URLGlob {
    /// One of the URLs, and the value of each set and range in it.
    struct Match: Equatable {
        var url: String
        var values: [String]

        /// Replaces `#1` by the value of the first set or range, and so on; other numbers stay.
        func fill(_ name: String) -> String {
            var filled = ""
            var rest = name[...]
            while let character = rest.popFirst() {
                let digits = rest.prefix { $0.isASCII && $0.isNumber }
                guard character == "#", let number = Int(digits), (1...max(values.count, 1)).contains(number),
                    number <= values.count
                else {
                    filled.append(character)
                    continue
                }
                filled += values[number - 1]
                rest = rest.dropFirst(digits.count)
            }
            return filled
        }
    }

    private enum Part {
        case text(String)
        case choice([String])
    }

    /// More are a mistake, or belong in a list.
    static let most = 100_000
    private var parts: [Part] = []

    /// Returns all URLs that the text represents; the last set or range varies first.
    static func expand(_ text: String) throws(TransferFailure) -> [Match] {
        guard text.contains(where: { "[{}".contains($0) }) else { return [Match(url: text, values: [])] }
        return try URLGlob(text).matches()
    }

    private init(_ text: String) throws(TransferFailure) {
        var plain = ""
        var rest = text[...]
        while let character = rest.popFirst() {
            switch character {
            case "\\" where rest.first.map { "[]{}".contains($0) } == true:
                plain.append(rest.removeFirst())
            // The address of a host (RFC 3986, section 3.2.2).
            case "[" where plain.hasSuffix("//") || plain.hasSuffix("@"):
                plain.append(character)
            case "[":
                append(&plain, try Self.range(&rest))
            case "{":
                append(&plain, try Self.words(&rest))
            case "}": throw .usage("The URL has a } without a {. To take it as it is, add -g.")
            default: plain.append(character)
            }
        }
        parts.append(.text(plain))
    }

    private mutating func append(_ plain: inout String, _ values: [String]) {
        parts += [.text(plain), .choice(values)]
        plain = ""
    }

    private func matches() throws(TransferFailure) -> [Match] {
        var matches = [Match(url: "", values: [])]
        for part in parts {
            switch part {
            case .text(let text): for index in matches.indices { matches[index].url += text }
            case .choice(let values):
                guard matches.count <= Self.most / max(values.count, 1) else {
                    throw Self.tooMany
                }
                matches = matches.flatMap { match in
                    values.map { Match(url: match.url + $0, values: match.values + [$0]) }
                }
            }
        }
        return matches
    }

    /// Reads behind `{`, up to and with `}`.
    private static func words(_ rest: inout Substring) throws(TransferFailure) -> [String] {
        var words = [""]
        while let character = rest.popFirst() {
            switch character {
            case "}": return words
            case ",": words.append("")
            case "{", "[": throw .usage("The URL has a set inside a set. To take it as it is, add -g.")
            case "\\": if let next = rest.popFirst() { words[words.count - 1].append(next) }
            default: words[words.count - 1].append(character)
            }
        }
        throw .usage("The URL has a { without a }. To take it as it is, add -g.")
    }

    /// Reads behind `[`, up to and with `]`.
    private static func range(_ rest: inout Substring) throws(TransferFailure) -> [String] {
        guard let end = rest.firstIndex(of: "]") else {
            throw .usage("The URL has a [ without a ]. To take it as it is, add -g.")
        }
        let text = rest[..<end]
        rest = rest[rest.index(after: end)...]
        let halves = text.split(separator: ":", maxSplits: 1, omittingEmptySubsequences: false)
        let ends = halves[0].split(separator: "-", omittingEmptySubsequences: false)
        let step = halves.count == 1 ? 1 : Int(halves[1])
        guard ends.count == 2, let step, step > 0 else { throw notRange(text) }
        if let first = letter(ends[0]), let last = letter(ends[1]), first <= last, first.isLower == last.isLower {
            return stride(from: first, through: last, by: step).map { String(UnicodeScalar($0)) }
        }
        guard let first = number(ends[0]), let last = number(ends[1]), first <= last else { throw notRange(text) }
        guard (last - first) / step < most else { throw tooMany }
        let width = ends[0].hasPrefix("0") ? ends[0].count : 0
        return stride(from: first, through: last, by: step).map { value in
            let digits = String(value)
            return String(repeating: "0", count: max(width - digits.count, 0)) + digits
        }
    }

    private static func letter(_ text: Substring) -> UInt8? {
        guard text.utf8.count == 1, let byte = text.utf8.first else { return nil }
        return (0x61...0x7A).contains(byte | 0x20) ? byte : nil
    }

    /// A number with more digits is a mistake.
    private static func number(_ text: Substring) -> Int? {
        text.count <= 15 && text.allSatisfy { $0.isASCII && $0.isNumber } ? Int(text) : nil
    }

    private static var tooMany: TransferFailure { .usage("The URL stands for more than \(most) URLs.") }

    private static func notRange(_ text: Substring) -> TransferFailure {
        .usage("[\(text)] is not a range such as [1-9] or [a-z]. To take it as it is, add -g.")
    }
}

extension UInt8 {
    fileprivate var isLower: Bool { self & 0x20 != 0 }
}
