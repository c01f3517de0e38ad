/// The parts of a response to a request for several ranges: `multipart/byteranges`, or a single part (RFC 9110, section 14.6).
package enum MultipartRanges {
    /// A part of the file, and its bytes.
    package struct Part: Equatable, Sendable {
        package var start: Int64
        package var bytes: [UInt8]

        package init(start: Int64, bytes: [UInt8]) {
            self.start = start
            self.bytes = bytes
        }
    }

    /// Returns the complete parts of a 206, in their order. The body may end early.
    package static func parts(of head: ResponseHead, _ body: [UInt8]) -> [Part] {
        guard head.status == 206 else { return [] }
        if case .part(let first, let last, _) = head.contentRange {
            return last - first < Int64(body.count)
                ? [Part(start: first, bytes: Array(body.prefix(Int(last - first) + 1)))] : []
        }
        guard let boundary = head.headers.single("Content-Type").flatMap(boundary) else { return [] }
        let delimiter = Array("--\(boundary)".utf8)
        var parts: [Part] = []
        var rest = body[...]
        while let begin = position(of: delimiter, in: rest) {
            rest = rest[(begin + delimiter.count)...]
            guard let part = readPart(&rest) else { break }
            parts.append(part)
        }
        return parts
    }

    /// Reads the headers and the bytes of one part. The length counts, because the bytes may contain the delimiter.
    private static func readPart(_ rest: inout ArraySlice<UInt8>) -> Part? {
        let blank = Array("\r\n\r\n".utf8)
        guard let end = position(of: blank, in: rest) else { return nil }
        let lines = String(decoding: rest[..<end], as: UTF8.self).split(whereSeparator: \.isNewline)
        rest = rest[(end + blank.count)...]
        let range = lines.lazy.compactMap { line -> ContentRange? in
            guard let colon = line.firstIndex(of: ":"), line[..<colon].lowercased() == "content-range" else {
                return nil
            }
            return ContentRange(String(line[line.index(after: colon)...].drop { $0 == " " || $0 == "\t" }))
        }.first
        guard case .part(let first, let last, _) = range, last - first < Int64(rest.count) else { return nil }
        let bytes = Array(rest.prefix(Int(last - first) + 1))
        rest = rest.dropFirst(bytes.count)
        return Part(start: first, bytes: bytes)
    }

    private static func boundary(_ type: String) -> String? {
        let fields = type.split(separator: ";").map { $0.drop { $0 == " " } }
        guard fields.first?.lowercased().hasPrefix("multipart/byteranges") == true,
            let field = fields.first(where: { $0.lowercased().hasPrefix("boundary=") })
        else { return nil }
        let value = field.dropFirst("boundary=".count).filter { $0 != "\"" }
        return value.isEmpty ? nil : value
    }

    private static func position(of pattern: [UInt8], in bytes: ArraySlice<UInt8>) -> Int? {
        guard let first = pattern.first, bytes.count >= pattern.count else { return nil }
        var index = bytes.startIndex
        while index <= bytes.endIndex - pattern.count {
            guard let found = bytes[index...(bytes.endIndex - pattern.count)].firstIndex(of: first) else { return nil }
            if bytes[found..<found + pattern.count].elementsEqual(pattern) { return found }
            index = found + 1
        }
        return nil
    }
}
