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

    /// Reads a list; fails if nothing in it is a checksum, as in an error page or a compressed list.
    init(reading bytes: [UInt8]) throws(TransferFailure) {
        self.init(Self.text(bytes))
        guard !lines.isEmpty || single != nil else {
            throw .usage(
                "Cannot read the list of --checksum-file: it contains no md5, sha-1, sha-256, or sha-512 checksum. Check its URL."
            )
        }
    }

    /// Programs of Windows write UTF-16, or a mark (U+FEFF) before UTF-8.
    private static func text(_ bytes: [UInt8]) -> String {
        if bytes.starts(with: [0xEF, 0xBB, 0xBF]) { return String(decoding: bytes.dropFirst(3), as: UTF8.self) }
        guard bytes.starts(with: [0xFF, 0xFE]) || bytes.starts(with: [0xFE, 0xFF]) else {
            return String(decoding: bytes, as: UTF8.self)
        }
        let low = bytes[0] == 0xFF ? 0 : 1
        let units = stride(from: 2, to: bytes.count - 1, by: 2).map { index in
            UInt16(bytes[index + low]) | UInt16(bytes[index + 1 - low]) << 8
        }
        return String(decoding: units, as: UTF16.self)
    }

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
