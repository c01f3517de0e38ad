/// The digests that a response offers for the whole file.
package enum DigestFields {
    /// Returns at most one digest of each algorithm, the strongest first.
    ///
    /// `Repr-Digest` (RFC 9530) and the older `Digest` (RFC 3230) cover the whole representation even in a partial response.
    /// `Content-Digest` covers the bytes of this message, and servers never agreed whether `Content-MD5` does (RFC 7231, appendix
    /// B): both count only with `isWhole`, in a 200. MD5 is returned only without a stronger one. Insecure or unknown algorithms
    /// are ignored, and so is a value of the wrong length.
    package static func offered(in headers: [HeaderField], isWhole: Bool = false) -> [Digest] {
        var found: [Digest.Algorithm: [UInt8]] = [:]
        var sources = [structured(headers, "Repr-Digest")]
        if isWhole { sources.append(structured(headers, "Content-Digest")) }
        sources.append(legacy(headers))
        for source in sources { found.merge(source) { earlier, _ in earlier } }
        let strong = [Digest.Algorithm.sha512, .sha256].compactMap { algorithm in
            found[algorithm].map { Digest(algorithm: algorithm, bytes: $0) }
        }
        guard strong.isEmpty, isWhole, let text = headers.single("Content-MD5"), let bytes = Base64.decode(text),
            bytes.count == Digest.Algorithm.md5.byteCount
        else { return strong }
        return [Digest(algorithm: .md5, bytes: bytes)]
    }

    private static func structured(_ headers: [HeaderField], _ name: String) -> [Digest.Algorithm: [UInt8]] {
        let values = headers.all(name)
        guard !values.isEmpty, let dictionary = StructuredDictionary(values.joined(separator: ", ")) else { return [:] }
        var digests: [Digest.Algorithm: [UInt8]] = [:]
        for (key, bytes) in dictionary.byteSequences {
            guard let algorithm = algorithm(named: key), bytes.count == algorithm.byteCount else { continue }
            digests[algorithm] = bytes
        }
        return digests
    }

    /// `Digest: SHA-256=BASE64,…`; the names are case-insensitive.
    private static func legacy(_ headers: [HeaderField]) -> [Digest.Algorithm: [UInt8]] {
        var digests: [Digest.Algorithm: [UInt8]] = [:]
        for value in headers.all("Digest") {
            var scanner = FieldScanner(value)
            while !scanner.isAtEnd {
                scanner.skipSpaces()
                let name = scanner.takeWhile(\.isTokenByte)
                guard scanner.read("=") else { break }
                let text = scanner.takeWhile { $0 != UInt8(ascii: ",") && $0 != UInt8(ascii: " ") }
                scanner.skipSpaces()
                _ = scanner.read(",")
                guard let algorithm = algorithm(named: String(decoding: name, as: UTF8.self).lowercased()),
                    digests[algorithm] == nil, let bytes = Base64.decode(bytes: text),
                    bytes.count == algorithm.byteCount
                else { continue }
                digests[algorithm] = bytes
            }
        }
        return digests
    }

    private static func algorithm(named name: String) -> Digest.Algorithm? {
        switch name {
        case "sha-256": .sha256
        case "sha-512": .sha512
        default: nil
        }
    }
}
