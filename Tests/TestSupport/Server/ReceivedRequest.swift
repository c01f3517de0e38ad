package import LonghaulCore

/// A request in the server's log. It is logged when its headers have arrived, and changes until it is finished.
package struct ReceivedRequest: Sendable {
    /// The position in the order of arrival, from 0.
    package let number: Int
    /// The number of its connection, from 0.
    package let connection: Int
    package let method: String
    /// The target in the request line.
    package let target: String
    package let headers: [HeaderField]

    /// Bytes of the body received so far, without chunk framing.
    package internal(set) var bodyLength: Int64 = 0
    /// The body, up to the number of bytes that the server stores.
    package internal(set) var body: [UInt8] = []
    /// The checksum of the whole body, stored or not.
    package internal(set) var bodyChecksum = Checksum()
    /// Whether the announced body is complete.
    package internal(set) var isBodyComplete = false
    /// Status of the final response; `nil` if none was sent so far.
    package internal(set) var status: Int?
    /// Bytes of the response body that were passed to the kernel.
    package internal(set) var responseBytes: Int64 = 0
    /// Whether the server has finished the request, with a response or without.
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

    /// The query without its question mark; empty if there is none.
    package var query: String {
        target.firstIndex(of: "?").map { String(target[target.index(after: $0)...]) } ?? ""
    }

    /// Returns the only value of a header.
    package func header(_ name: String) -> String? { headers.single(name) }

    /// First and last byte of a request for one range; `last` is `nil` if the range is open.
    package var range: (first: Int64?, last: Int64?)? {
        guard let text = header("Range"), text.hasPrefix("bytes="), !text.contains(",") else { return nil }
        let ends = text.dropFirst(6).split(separator: "-", omittingEmptySubsequences: false)
        guard ends.count == 2 else { return nil }
        return (Int64(ends[0]), Int64(ends[1]))
    }
}

/// The part of a request before its body.
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
    var requestsClose: Bool { headers.single("Connection")?.lowercased() == "close" || version == "HTTP/1.0" }
}
