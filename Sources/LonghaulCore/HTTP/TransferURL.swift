/// An absolute `http` or `https` URL (RFC 3986), ready to be sent.
///
/// `text` is the given URL with the scheme and the host in lowercase, without a default port, and with invalid bytes percent-encoded.
/// Parsing `text` again gives an equal value.
package struct TransferURL: Hashable, Sendable {
    /// `http` or `https`.
    package let scheme: String
    /// The part before the `@`, still percent-encoded. It is a secret.
    package let userInfo: String?
    /// In lowercase; an IPv6 address has its brackets. A non-ASCII name stays unchanged.
    package let host: String
    /// The effective port.
    package let port: Int
    /// Still percent-encoded; begins with a slash.
    package let path: String
    /// Still percent-encoded, without the `?`. It may contain secrets.
    package let query: String?
    /// Still percent-encoded, without the `#`; never sent.
    package let fragment: String?

    init(
        scheme: String, userInfo: String?, host: String, port: Int, path: String, query: String?, fragment: String?
    ) {
        self.scheme = scheme
        self.userInfo = userInfo
        self.host = host
        self.port = port
        self.path = path
        self.query = query
        self.fragment = fragment
    }

    /// The percent-decoded path, for the user or a list of names.
    package var decodedPath: String {
        PercentCoding.decode(path.utf8).map { String(decoding: $0, as: UTF8.self) } ?? path
    }

    /// The decoded name and password before the `@`; `nil` if there are none.
    package var login: [UInt8]? { userInfo.flatMap { PercentCoding.decode($0.utf8) } }

    package var text: String {
        var text = scheme + "://"
        if let userInfo { text += userInfo + "@" }
        text += site + path
        if let query { text += "?" + query }
        if let fragment { text += "#" + fragment }
        return text
    }

    /// `https://host:port`: two URLs with the same origin share their secrets.
    package var origin: String { scheme + "://" + host + ":" + String(port) }

    /// For display: without user, password, query, and fragment.
    package var redacted: String { scheme + "://" + site + path }

    /// `host:port`, even with a default port.
    package var endpoint: String { host + ":" + String(port) }

    /// The same URL without user name and password.
    package var withoutLogin: TransferURL {
        userInfo == nil
            ? self
            : TransferURL(
                scheme: scheme, userInfo: nil, host: host, port: port, path: path, query: query, fragment: fragment)
    }

    /// The part after the path's last slash, still percent-encoded; may be empty.
    package var lastPathSegment: String {
        let bytes = path.utf8
        let start = bytes.lastIndex(of: UInt8(ascii: "/")).map { bytes.index(after: $0) } ?? bytes.startIndex
        return String(path[start...])
    }

    /// Resolves a reference in a response against this URL (RFC 3986, section 5.2); `nil` if the result is unusable: another
    /// scheme, no host, control characters.
    ///
    /// Servers often violate RFC 3986, so a space and a stray `%` are encoded. User and password are kept for the same origin,
    /// because servers never repeat them.
    package func resolving(_ reference: String) -> TransferURL? {
        // The reason does not matter: the caller refuses the reference with its own sentence.
        guard let url = try? resolve(URLReference(reference), .reference) else { return nil }
        guard url.userInfo == nil, url.origin == origin else { return url }
        return TransferURL(
            scheme: url.scheme, userInfo: userInfo, host: url.host, port: url.port, path: url.path, query: url.query,
            fragment: url.fragment)
    }

    static func defaultPort(of scheme: String) -> Int { scheme == "https" ? 443 : 80 }

    /// The host, with the port if it is not the default one.
    package var site: String {
        port == Self.defaultPort(of: scheme) ? host : host + ":" + String(port)
    }

    private func resolve(_ parts: URLReference, _ reading: URLReading) throws(TransferFailure) -> TransferURL {
        if parts.scheme != nil || parts.authority != nil {
            var whole = parts
            whole.scheme = parts.scheme ?? Array(scheme.utf8)[...]
            whole.path = URLPath.removingDotSegments(parts.path)[...]
            return try TransferURL(whole, reading)
        }
        var path = path
        var query = query
        if parts.path.isEmpty {
            if let given = parts.query { query = try reading.encode(given) }
        } else {
            let isAbsolute = parts.path.first == UInt8(ascii: "/")
            let merged = isAbsolute ? Array(parts.path) : URLPath.merge(parts.path, onto: self.path)
            path = try reading.encode(URLPath.removingDotSegments(merged)[...])
            query = try parts.query.map { given throws(TransferFailure) in try reading.encode(given) }
        }
        return TransferURL(
            scheme: scheme, userInfo: userInfo, host: host, port: port, path: path, query: query,
            fragment: try parts.fragment.map { given throws(TransferFailure) in try reading.encode(given) })
    }
}
