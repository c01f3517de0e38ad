package import LonghaulCore

/// A request in the server's log. It is there as soon as its head has come, and changes until it is finished.
package struct ReceivedRequest: Sendable {
    /// Place in the order of arrival, from 0.
    package let number: Int
    /// Which connection brought it, from 0.
    package let connection: Int
    package let method: String
    /// As it stood in the request line.
    package let target: String
    package let headers: [HeaderField]

    /// Bytes of the body received so far, chunk framing not counted.
    package internal(set) var bodyLength: Int64 = 0
    /// The body, up to the server's limit for keeping it.
    package internal(set) var body: [UInt8] = []
    /// Over the whole body, kept or not.
    package internal(set) var bodyChecksum = Checksum()
    /// Whether the announced body came to its end.
    package internal(set) var isBodyComplete = false
    /// Status of the final response; `nil` while, or because, none was sent.
    package internal(set) var status: Int?
    /// Bytes of the response body that were handed to the kernel.
    package internal(set) var responseBytes: Int64 = 0
    /// Whether the server is through with it, answered or not.
    package internal(set) var isFinished = false

    init(number: Int, connection: Int, head: RequestHead) {
        self.number = number
        self.connection = connection
        method = head.method
        target = head.target
        headers = head.headers
    }

    /// The path without origin and query.
    package var path: String {
        var rest = target[...]
        if let scheme = rest.firstIndex(of: ":"), rest[scheme...].hasPrefix("://") {
            let afterOrigin = rest[rest.index(scheme, offsetBy: 3)...]
            rest = afterOrigin.firstIndex(of: "/").map { afterOrigin[$0...] } ?? "/"
        }
        return String(rest.prefix { $0 != "?" })
    }

    /// The query without its question mark; empty when there is none.
    package var query: String {
        target.firstIndex(of: "?").map { String(target[target.index(after: $0)...]) } ?? ""
    }

    /// The only value of a header field.
    package func header(_ name: String) -> String? { headers.single(name) }

    /// First and last byte of a request for one range; `last` is `nil` when it is open.
    package var range: (first: Int64?, last: Int64?)? {
        guard let text = header("Range"), text.hasPrefix("bytes="), !text.contains(",") else { return nil }
        let ends = text.dropFirst(6).split(separator: "-", omittingEmptySubsequences: false)
        guard ends.count == 2 else { return nil }
        return (Int64(ends[0]), Int64(ends[1]))
    }
}

/// What stands before a request's body.
struct RequestHead: Sendable {
    var method: String
    var target: String
    var version: String
    var headers: [HeaderField]

    init(method: String, target: String, version: String, headers: [HeaderField]) {
        self.method = method
        self.target = target
        self.version = version
        self.headers = headers
    }

    init?(_ bytes: [UInt8]) {
        var lines = bytes.split(separator: UInt8(ascii: "\n"), omittingEmptySubsequences: true).map { line in
            String(decoding: line.last == UInt8(ascii: "\r") ? line.dropLast() : line, as: UTF8.self)
        }
        guard !lines.isEmpty else { return nil }
        let words = lines.removeFirst().split(separator: " ")
        guard words.count == 3 else { return nil }
        method = String(words[0])
        target = String(words[1])
        version = String(words[2])
        headers = lines.compactMap { line in
            guard let colon = line.firstIndex(of: ":") else { return nil }
            let value = line[line.index(after: colon)...].drop { $0 == " " }
            return HeaderField(String(line[..<colon]), String(value))
        }
    }

    var isChunked: Bool { headers.single("Transfer-Encoding")?.lowercased() == "chunked" }
    var bodyLength: Int64 { headers.single("Content-Length").flatMap(Int64.init) ?? 0 }
    var asksToContinue: Bool { headers.single("Expect")?.lowercased() == "100-continue" }
    var asksToClose: Bool { headers.single("Connection")?.lowercased() == "close" || version == "HTTP/1.0" }
}
