import LonghaulClient
import LonghaulCore

/// What can be found wrong before the service is asked, in the words of the person's own input.
enum LocalCheck {
    static func url(_ text: String) throws(TransferFailure) -> TransferURL {
        try TransferURL(parsing: text)
    }

    static func header(_ name: String, _ value: String) throws(TransferFailure) -> HeaderField {
        if let failure = HeaderRules.check(name: name, value: value) { throw failure }
        return HeaderField(name, value)
    }

    /// A method is a token (RFC 9110, section 9.1).
    static func method(_ text: String) throws(TransferFailure) -> String {
        let isToken =
            !text.isEmpty
            && text.utf8.allSatisfy { byte in
                (UInt8(ascii: "A")...UInt8(ascii: "Z")).contains(byte) || byte == UInt8(ascii: "-")
            }
        guard isToken else { throw .usage("a method is written in capital letters, such as PUT, not \"\(text)\"") }
        return text
    }

    /// What libcurl can go through; without a scheme it takes a proxy for an HTTP one.
    static func proxy(_ text: String, _ world: World) throws(TransferFailure) -> String {
        switch ProxySource(text) {
        case .system?: return text
        case .script(let place)?: return ProxySource.scriptPrefix + (try script(place, world))
        case nil: break
        }
        let scheme = text.prefix { $0 != ":" }
        guard text[scheme.endIndex...].hasPrefix("://") else {
            // aria2's -x is a number of connections.
            guard text.contains(where: { !$0.isNumber }) else {
                throw .usage(
                    "--proxy takes a host or a URL, not a number; --split \(text) fetches a file over so many connections"
                )
            }
            return try named(text, server: text)
        }
        guard ["http", "https", "socks4", "socks4a", "socks5", "socks5h"].contains(scheme.lowercased()) else {
            throw .usage(
                "--proxy takes a URL that begins with http, https, socks4, socks4a, socks5 or socks5h; system; or pac+ with a script"
            )
        }
        return try named(text, server: text.dropFirst(scheme.count + 3))
    }

    /// A proxy whose host and port can be read. The text is not repeated: it may hold a password, which may hold any character.
    private static func named(_ text: String, server: some StringProtocol) throws(TransferFailure) -> String {
        let host = server.split(separator: "@", omittingEmptySubsequences: false).last ?? ""
        if (try? TransferURL(parsing: "http://\(host)")) == nil {
            throw .usage(
                "--proxy takes a host with its port, such as proxy.example:3128 or [::1]:3128, or a URL with them")
        }
        return text
    }

    /// Where a proxy script is: a URL, or the absolute path of a file that can be read.
    private static func script(_ place: String, _ world: World) throws(TransferFailure) -> String {
        if place.hasPrefix("http://") || place.hasPrefix("https://") { return try TransferURL(parsing: place).text }
        let path = world.absolute(place.hasPrefix("file://") ? String(place.dropFirst(7)) : place)
        try LocalPaths.checkReadable(path)
        return path
    }

    static func session(_ arguments: Arguments) throws(TransferFailure) -> SessionID {
        guard let text = arguments.value(.session) else { return .commandLine }
        guard let session = SessionID(text) else {
            throw .usage("\"\(text)\" is no session: use letters, digits, '.', '-' and '_'")
        }
        return session
    }
}
