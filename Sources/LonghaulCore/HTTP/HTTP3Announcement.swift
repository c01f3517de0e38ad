/// The HTTP/3 announcement of a response's `Alt-Svc` headers (RFC 7838, section 3).
///
/// Only HTTP/3 at the same host and port counts: there the other protocols are available if the network path blocks UDP. Announcements
/// of other places are ignored, as RFC 7838 allows.
package enum HTTP3Announcement: Equatable, Sendable {
    /// HTTP/3 is available for this many seconds.
    case announced(seconds: Int64)
    /// HTTP/3 is not available, whatever was announced before.
    case withdrawn

    /// The maximum lifetime.
    package static let longest: Int64 = 30 * 86_400
    /// The default lifetime.
    private static let usual: Int64 = 86_400

    /// Returns `nil` if the headers are missing or invalid: then the previous announcement still counts. `age` is the value of the
    /// `Age` header, because the response may come from a cache.
    package init?(fields: [String], age: Int64 = 0, host: String, port: Int) {
        guard !fields.isEmpty else { return nil }
        var found: HTTP3Announcement?
        for field in fields {
            var scanner = FieldScanner(field)
            repeat {
                scanner.skipSpaces()
                // Lists may have empty elements (RFC 9110, section 5.6.1).
                if scanner.isAtEnd || scanner.next == UInt8(ascii: ",") { continue }
                guard let service = Self.takeService(&scanner) else { return nil }
                if found == nil, service.isHTTP3, service.isAt(host, port) { found = service.announcement(age: age) }
                scanner.skipSpaces()
            } while scanner.read(",")
            guard scanner.isAtEnd else { return nil }
        }
        // A header replaces all earlier announcements (RFC 7838, section 3.1).
        self = found ?? .withdrawn
    }

    private struct Service {
        var isHTTP3: Bool
        var place: [UInt8]
        var seconds = HTTP3Announcement.usual

        /// The host may be omitted, but not its port.
        func isAt(_ host: String, _ port: Int) -> Bool {
            guard let colon = place.lastIndex(of: UInt8(ascii: ":")) else { return false }
            let name = place[..<colon].map(\.lowercasedASCII)
            let isHost = name.isEmpty || name.elementsEqual(host.utf8)
            return isHost && DecimalField.parse(bytes: place[(colon + 1)...]) == Int64(port)
        }

        func announcement(age: Int64) -> HTTP3Announcement {
            let left = min(seconds, HTTP3Announcement.longest) - min(max(age, 0), HTTP3Announcement.longest)
            return left > 0 ? .announced(seconds: left) : .withdrawn
        }
    }

    /// `protocol-id "=" alt-authority *( OWS ";" OWS parameter )`, or `clear`.
    private static func takeService(_ scanner: inout FieldScanner) -> Service? {
        let name = scanner.takeWhile(\.isTokenByte)
        guard !name.isEmpty else { return nil }
        guard scanner.read("=") else {
            return name.elementsEqual("clear".utf8) ? Service(isHTTP3: false, place: []) : nil
        }
        guard let place = scanner.takeQuotedString() else { return nil }
        var service = Service(isHTTP3: name.elementsEqual("h3".utf8), place: place)
        scanner.skipSpaces()
        while scanner.read(";") {
            scanner.skipSpaces()
            let key = scanner.takeWhile(\.isTokenByte)
            guard !key.isEmpty, scanner.read("="), let value = takeValue(&scanner) else { return nil }
            if key.map(\.lowercasedASCII).elementsEqual("ma".utf8), let seconds = DecimalField.parse(bytes: value) {
                service.seconds = seconds
            }
            scanner.skipSpaces()
        }
        return service
    }

    private static func takeValue(_ scanner: inout FieldScanner) -> [UInt8]? {
        if scanner.next == UInt8(ascii: "\"") { return scanner.takeQuotedString() }
        let token = scanner.takeWhile(\.isTokenByte)
        return token.isEmpty ? nil : Array(token)
    }
}
