import LonghaulCore

/// Collects the header lines of successive responses. Only the newest response's headers are kept.
struct HeaderCollector {
    enum Step: Equatable {
        case more
        /// The blank line: the headers of a response with this status are complete, whether provisional or final.
        case complete(status: Int, headers: [HeaderField])
        /// The headers are unreasonably long.
        case tooLong
        case malformed
    }

    private static let limit = 256 << 10
    private var status: Int?
    private var fields: [HeaderField] = []
    private var size = 0
    /// The trace of headers, if it is enabled.
    private(set) var heads: HeadTrace?

    /// Whether the status line of a final response has arrived, but not all of its headers.
    var isInFinalHead: Bool { status.map { $0 >= 200 } ?? false }

    /// Takes one line with its line ending.
    mutating func receive(_ line: UnsafeRawBufferPointer) -> Step {
        size += line.count
        heads?.received(line)
        guard size <= Self.limit else { return .tooLong }
        let text = line[...].trimming(while: Self.isBlank)
        if text.isEmpty {
            guard let status else { return .malformed }
            defer { self = HeaderCollector(size: size, heads: heads) }
            return .complete(status: status, headers: fields)
        }
        if line.starts(with: "HTTP/".utf8) {
            status = Self.status(of: text)
            fields = []
            return status == nil ? .malformed : .more
        }
        let isContinuation = Self.isBlank(line[0])
        // There is no header to continue. Some versions of libcurl refuse such a line, others do not (RFC 9112, section
        // 2.2).
        if isContinuation, fields.isEmpty { return .malformed }
        append(text, isContinuation: isContinuation)
        return .more
    }

    init(heads: HeadTrace? = nil) {
        self.heads = heads
    }

    private init(size: Int, heads: HeadTrace?) {
        self.size = size
        self.heads = heads
    }

    /// Records a request's headers that were sent.
    mutating func sent(_ head: UnsafeRawBufferPointer) { heads?.sent(head) }

    /// Returns new headers to report; `nil` if there are none.
    mutating func takeHeads() -> EngineEvent? { heads?.next().map { .heads($0) } }

    /// Appends a header line. A line without a colon is dropped; a continuation (RFC 9112, section 5.2) is joined with
    /// one space.
    private mutating func append(_ text: Slice<UnsafeRawBufferPointer>, isContinuation: Bool) {
        if isContinuation, let last = fields.indices.last {
            fields[last].value += " " + Self.text(text)
            return
        }
        guard let colon = text.firstIndex(of: UInt8(ascii: ":")), colon > text.startIndex else { return }
        let name = Self.text(text[..<colon].trimming(while: Self.isBlank))
        let value = text[(colon + 1)...].trimming(while: Self.isBlank)
        fields.append(HeaderField(name, Self.text(value)))
    }

    /// Returns the status of a line such as `HTTP/1.1 200 OK`, with any version and any reason phrase, even an empty
    /// one.
    private static func status(of line: Slice<UnsafeRawBufferPointer>) -> Int? {
        guard let space = line.firstIndex(of: UInt8(ascii: " ")) else { return nil }
        let digits = line[space...].drop { $0 == UInt8(ascii: " ") }.prefix { !isBlank($0) }
        guard digits.count == 3, digits.allSatisfy({ (UInt8(ascii: "0")...UInt8(ascii: "9")).contains($0) }) else {
            return nil
        }
        return digits.reduce(0) { $0 * 10 + Int($1 - UInt8(ascii: "0")) }
    }

    private static func isBlank(_ byte: UInt8) -> Bool {
        byte.isBlank || byte == UInt8(ascii: "\r") || byte == UInt8(ascii: "\n")
    }

    private static func text(_ bytes: Slice<UnsafeRawBufferPointer>) -> String {
        if let text = String(validating: bytes, as: UTF8.self) { return text }
        var text = ""
        for byte in bytes { text.unicodeScalars.append(Unicode.Scalar(byte)) }
        return text
    }
}
