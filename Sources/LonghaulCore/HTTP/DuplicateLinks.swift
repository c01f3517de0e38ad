/// Mirrors of the same file, from the response of one of them (Metalink/HTTP, RFC 6249): `Link: <URL>; rel=duplicate; pri=1`.
package enum DuplicateLinks {
    /// Further ones are ignored.
    private static let most = 32

    /// Returns their URLs, those with the smallest `pri` first. Invalid entries are ignored, and so are mirrors without TLS if the
    /// response used TLS.
    package static func urls(in head: ResponseHead) -> [String] {
        let values = head.headers.all("Link")
        guard !values.isEmpty, let base = try? TransferURL(parsing: head.effectiveURL) else { return [] }
        var found: [(url: String, priority: Int64)] = []
        for value in values {
            var scanner = FieldScanner(value)
            while found.count < most, let link = takeLink(&scanner) {
                guard link.isDuplicate, let url = base.resolving(link.target),
                    url.scheme == "https" || base.scheme == "http"
                else { continue }
                found.append((url.text, link.priority))
            }
        }
        return found.inOrder(of: \.priority).map(\.url)
    }

    private struct Link {
        var target: String
        var isDuplicate = false
        var priority: Int64 = 999_999
    }

    /// RFC 8288, section 3. Returns `nil` at the end, and after a syntax error.
    private static func takeLink(_ scanner: inout FieldScanner) -> Link? {
        while scanner.next == UInt8(ascii: ",") || scanner.next == UInt8(ascii: " ") || scanner.next == 0x09 {
            _ = scanner.read()
        }
        guard scanner.read("<") else { return nil }
        let target = scanner.takeWhile { $0 != UInt8(ascii: ">") }
        guard scanner.read(">") else { return nil }
        var link = Link(target: String(decoding: target, as: UTF8.self))
        scanner.skipSpaces()
        while scanner.read(";") {
            scanner.skipSpaces()
            let name = String(decoding: scanner.takeWhile(\.isTokenByte), as: UTF8.self).lowercased()
            scanner.skipSpaces()
            var value: [UInt8] = []
            if scanner.read("=") {
                scanner.skipSpaces()
                if scanner.next == UInt8(ascii: "\"") {
                    guard let text = scanner.takeQuotedString() else { return nil }
                    value = text
                } else {
                    value = Array(scanner.takeWhile(\.isTokenByte))
                }
            }
            scanner.skipSpaces()
            switch name {
            case "rel":
                let words = String(decoding: value, as: UTF8.self).lowercased().split(separator: " ")
                link.isDuplicate = words.contains("duplicate")
            case "pri": link.priority = DecimalField.parse(bytes: value[...]) ?? link.priority
            default: break
            }
        }
        return link
    }
}
