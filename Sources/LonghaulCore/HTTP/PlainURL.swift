/// The form that nearly all URLs have, parsed in one pass and without copies: a lowercase scheme and host, an optional port, and a path
/// and an optional query that need no encoding.
///
/// Each URL is parsed several times, which is a large part of the cost of a small transfer.
enum PlainURL {
    /// Returns the same result as the general rules; `nil` if those are needed.
    static func read(_ text: String) -> TransferURL? {
        text.utf8.withContiguousStorageIfAvailable(read) ?? nil
    }

    private static func read(_ bytes: UnsafeBufferPointer<UInt8>) -> TransferURL? {
        guard let scheme = scheme(bytes) else { return nil }
        let hostStart = scheme.utf8.count + 3
        var position = hostStart
        var isName = false
        while position < bytes.count, let isDot = isHostByte(bytes[position]) {
            if !isDot { isName = true }
            position += 1
        }
        guard isName, position < bytes.count else { return nil }
        let host = String(decoding: bytes[hostStart..<position], as: UTF8.self)
        var port = TransferURL.defaultPort(of: scheme)
        if bytes[position] == UInt8(ascii: ":") {
            guard let given = number(bytes, from: &position) else { return nil }
            port = given
        }
        guard position < bytes.count, bytes[position] == UInt8(ascii: "/") else { return nil }
        let pathStart = position
        var mark: Int?
        while position < bytes.count {
            let byte = bytes[position]
            guard URLReading.isPlain(byte), byte != UInt8(ascii: "#") else { return nil }
            if byte == UInt8(ascii: "?"), mark == nil { mark = position }
            position += 1
        }
        return TransferURL(
            scheme: scheme, userInfo: nil, host: host, port: port,
            path: String(decoding: bytes[pathStart..<(mark ?? bytes.count)], as: UTF8.self),
            query: mark.map { String(decoding: bytes[($0 + 1)...], as: UTF8.self) }, fragment: nil)
    }

    private static func scheme(_ bytes: UnsafeBufferPointer<UInt8>) -> String? {
        if bytes.starts(with: "http://".utf8) { return "http" }
        return bytes.starts(with: "https://".utf8) ? "https" : nil
    }

    /// Returns whether a byte of a host is a dot; `nil` if a plain host cannot contain the byte.
    private static func isHostByte(_ byte: UInt8) -> Bool? {
        switch byte {
        case UInt8(ascii: "."): true
        case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "-"),
            UInt8(ascii: "_"):
            false
        default: nil
        }
    }

    /// Reads the port after the colon at `position`, and advances.
    private static func number(_ bytes: UnsafeBufferPointer<UInt8>, from position: inout Int) -> Int? {
        var value = 0
        position += 1
        while position < bytes.count, bytes[position].isASCIIDigit {
            value = value * 10 + Int(bytes[position] - UInt8(ascii: "0"))
            guard value <= 65_535 else { return nil }
            position += 1
        }
        return value > 0 ? value : nil
    }
}
