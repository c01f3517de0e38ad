import LonghaulCore

/// A list of checksums as `sha256sum` and its kin write it, or with `--tag` as BSD does.
struct ChecksumList {
    private struct Line {
        var name: Substring
        var digest: Digest
    }

    private var lines: [Line] = []
    /// A digest without a name, which belongs to the only file.
    private var single: Digest?

    init(_ text: String) {
        for line in text.split(whereSeparator: \.isNewline) {
            let line = line.trimming(\.isWhitespace)
            if let tagged = Self.tagged(line) {
                lines.append(tagged)
            } else if let digest = Self.digest(line.prefix { !$0.isWhitespace }) {
                let rest = line.drop { !$0.isWhitespace }.drop(while: \.isWhitespace)
                let name = rest.hasPrefix("*") ? rest.dropFirst() : rest
                if name.isEmpty { single = digest } else { lines.append(Line(name: name, digest: digest)) }
            }
        }
    }

    /// Returns the digest of the file at the end of the URL; `nil` if the list has none, or contradictory ones.
    func digest(ofFileAt path: String) -> Digest? {
        let name = path.split(separator: "/").last ?? ""
        let named = lines.filter { $0.name.split(separator: "/").last == name }
        // Of several files with this name, the path of the URL chooses one.
        let exact = named.filter { line in
            let tail = line.name.hasPrefix("./") ? line.name.dropFirst(2) : line.name
            return path.hasSuffix("/" + tail)
        }
        let best = exact.map { $0.name.count }.max()
        let found = Set((exact.isEmpty ? named : exact.filter { $0.name.count == best }).map(\.digest))
        if found.isEmpty, lines.isEmpty { return single }
        return found.count == 1 ? found.first : nil
    }

    /// `SHA256 (name) = HEX`.
    private static func tagged(_ line: Substring) -> Line? {
        guard let open = line.firstIndex(of: "("), let close = line.lastIndex(of: ")"), open < close else { return nil }
        let rest = line[close...].dropFirst().trimming(\.isWhitespace)
        guard rest.hasPrefix("="), let digest = digest(rest.dropFirst().trimming(\.isWhitespace)) else { return nil }
        return Line(name: line[line.index(after: open)..<close], digest: digest)
    }

    /// The length determines the algorithm.
    private static func digest(_ text: Substring) -> Digest? {
        let algorithms: [Digest.Algorithm] = [.md5, .sha1, .sha256, .sha512]
        return algorithms.lazy.compactMap { Digest(algorithm: $0, hexadecimal: String(text)) }.first
    }
}
