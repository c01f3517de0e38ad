/// The five parts of a URL or of a relative reference, unchanged (RFC 3986, appendix B).
struct URLReference {
    var scheme: ArraySlice<UInt8>?
    var authority: ArraySlice<UInt8>?
    var path: ArraySlice<UInt8>
    var query: ArraySlice<UInt8>?
    var fragment: ArraySlice<UInt8>?

    init(_ text: String) {
        var rest = Array(text.utf8)[...]
        if let hash = rest.firstIndex(of: UInt8(ascii: "#")) {
            fragment = rest[(hash + 1)...]
            rest = rest[..<hash]
        }
        if let mark = rest.firstIndex(of: UInt8(ascii: "?")) {
            query = rest[(mark + 1)...]
            rest = rest[..<mark]
        }
        if let colon = rest.firstIndex(of: UInt8(ascii: ":")), Self.isScheme(rest[..<colon]) {
            scheme = rest[..<colon]
            rest = rest[(colon + 1)...]
        }
        if rest.starts(with: "//".utf8) {
            rest = rest.dropFirst(2)
            let end = rest.firstIndex(of: UInt8(ascii: "/")) ?? rest.endIndex
            authority = rest[..<end]
            rest = rest[end...]
        }
        path = rest
    }

    private static func isScheme(_ bytes: ArraySlice<UInt8>) -> Bool {
        guard let first = bytes.first, first.isASCIILetter else { return false }
        return bytes.allSatisfy { byte in
            byte.isASCIILetter || byte.isASCIIDigit || "+-.".utf8.contains(byte)
        }
    }
}

/// Paths of references (RFC 3986, section 5.2).
enum URLPath {
    /// Replaces the base path's last segment by the reference's path.
    static func merge(_ reference: some Sequence<UInt8>, onto base: String) -> [UInt8] {
        let bytes = Array(base.utf8)
        let directory = bytes.lastIndex(of: UInt8(ascii: "/")).map { bytes[...$0] } ?? [UInt8(ascii: "/")]
        return Array(directory) + reference
    }

    /// Returns the path, which begins with a slash, with its `.` and `..` segments resolved.
    static func removingDotSegments(_ path: some Collection<UInt8>) -> [UInt8] {
        let segments = path.dropFirst().split(separator: UInt8(ascii: "/"), omittingEmptySubsequences: false)
        var kept: [[UInt8]] = []
        for (index, segment) in segments.enumerated() {
            let isLast = index == segments.count - 1
            if segment.elementsEqual(".".utf8) {
                if isLast { kept.append([]) }
            } else if segment.elementsEqual("..".utf8) {
                _ = kept.popLast()
                if isLast { kept.append([]) }
            } else {
                kept.append(Array(segment))
            }
        }
        return [UInt8(ascii: "/")] + Array(kept.joined(separator: [UInt8(ascii: "/")]))
    }
}
