/// The headers of a tus response (tus 1.0.0). A header that is malformed, or repeated with different values, counts as absent.
package enum TusReply {
    package static func offset(in headers: [HeaderField]) -> Int64? {
        headers.single("Upload-Offset").flatMap { DecimalField.parse($0) }
    }

    package static func length(in headers: [HeaderField]) -> Int64? {
        headers.single("Upload-Length").flatMap { DecimalField.parse($0) }
    }

    package static func maxSize(in headers: [HeaderField]) -> Int64? {
        headers.single("Tus-Max-Size").flatMap { DecimalField.parse($0) }
    }

    /// Returns when the server will delete the upload, by the local clock: the server's clock is corrected with the response's
    /// `Date`.
    package static func expires(in headers: [HeaderField], now: WallTime) -> WallTime? {
        guard let expires = headers.single("Upload-Expires").flatMap(HTTPDate.parse) else { return nil }
        guard let replied = headers.single("Date").flatMap(HTTPDate.parse) else { return expires }
        return now + (expires - replied)
    }

    /// Returns the announced extensions, in lowercase; no other one may be used.
    package static func extensions(in headers: [HeaderField]) -> Set<String> {
        Set(list("Tus-Extension", in: headers).map { $0.lowercased() })
    }

    /// Returns whether the server supports Longhaul's protocol version.
    package static func supportsOurVersion(_ headers: [HeaderField]) -> Bool {
        list("Tus-Version", in: headers).contains("1.0.0")
    }

    /// Returns the capabilities from the response to OPTIONS; `nil` if it is not that of a tus server.
    package static func capabilities(in headers: [HeaderField], creationURL: String) -> TusCapabilities? {
        guard supportsOurVersion(headers) else { return nil }
        return TusCapabilities(
            extensions: extensions(in: headers), maxSize: maxSize(in: headers), creationURL: creationURL)
    }

    private static func list(_ name: String, in headers: [HeaderField]) -> [String] {
        headers.all(name).flatMap { value in
            value.utf8.split(separator: UInt8(ascii: ",")).compactMap { element in
                let trimmed = element.filter { $0 != UInt8(ascii: " ") && $0 != UInt8(ascii: "\t") }
                return trimmed.isEmpty ? nil : String(decoding: trimmed, as: UTF8.self)
            }
        }
    }

    /// Returns the failure for a response without a usable `Upload-Offset` or with several lengths.
    static func headerFailure(_ code: FailureCode, in head: ResponseHead) -> TransferFailure {
        let server = RetryPolicy.server(head, head.effectiveURL)
        let summary =
            if head.headers.contradicts("Upload-Length") {
                "The server \(server) sent different Upload-Length headers (\(head.status))"
            } else if head.headers.contradicts("Upload-Offset") {
                "The server \(server) sent different Upload-Offset headers (\(head.status))"
            } else if let value = head.headers.single("Upload-Offset"), !value.isEmpty {
                // `1*DIGIT` is invalid only above 2^63-1.
                value.utf8.allSatisfy(\.isASCIIDigit)
                    ? "The server \(server) sent an Upload-Offset that is too large (\(head.status): \(start(of: value)))"
                    : "The server \(server) sent an Upload-Offset that is not a number of bytes (\(head.status): \(start(of: value)))"
            } else {
                "The server \(server) sent no Upload-Offset header (\(head.status))"
            }
        return TransferFailure(
            code, summary, advice: "report it to its operator", origin: .status(head.status))
    }

    /// Returns the URL of a created upload, from `Location`, which may be relative (RFC 9110, section 10.2.2).
    static func uploadURL(in head: ResponseHead) throws(TransferFailure) -> TransferURL {
        // The URL served the response, so it parses.
        guard let base = try? TransferURL(parsing: head.effectiveURL),
            let url = head.headers.single("Location").flatMap(base.resolving)
        else { throw locationFailure(in: head) }
        guard url.host == base.host else {
            throw TransferFailure(
                .redirectRefused,
                "The server put the upload on another host (\(start(of: url.site))), where Longhaul sends no credentials. Use the creation URL of that host."
            )
        }
        guard base.scheme == url.scheme || url.scheme == "https" else {
            throw TransferFailure(
                .redirectRefused,
                "The server put the upload at an unencrypted URL (\(start(of: url.redacted))), where Longhaul sends no credentials. Report it to its operator."
            )
        }
        return url
    }

    static let checkWhetherItIsTus = "check whether this is the creation URL of a tus server"

    private static func locationFailure(in head: ResponseHead) -> TransferFailure {
        guard let location = head.headers.all("Location").first else {
            return TransferFailure(
                .protocolViolation, "The server sent no Location header for the upload", advice: checkWhetherItIsTus,
                origin: .status(head.status))
        }
        let server = RetryPolicy.server(head, head.effectiveURL)
        let scheme = URLReference(location).scheme.map { String(decoding: $0, as: UTF8.self) }
        // The URL may contain a secret, so only its scheme is quoted.
        let summary =
            if head.headers.contradicts("Location") {
                "The server \(server) sent different Location headers for the upload (\(head.status))"
            } else if location.utf8.contains(where: \.isASCIIControl) {
                "The server \(server) sent a Location header with a control character for the upload (\(head.status))"
            } else if let scheme, !["http", "https"].contains(scheme.lowercased()) {
                "The server \(server) sent a Location header with the unsupported scheme \(start(of: scheme)) (\(head.status))"
            } else {
                "The server \(server) sent a Location header that is not a valid URL (\(head.status))"
            }
        return TransferFailure(
            .protocolViolation, summary, advice: "report it to its operator", origin: .status(head.status))
    }

    /// Returns the start of a server's text for a message, with only printable ASCII characters.
    private static func start(of text: String) -> String {
        let shown = text.unicodeScalars.prefix(80).map { (" "..."~").contains($0) ? Character($0) : "?" }
        return String(shown) + (text.unicodeScalars.count > shown.count ? "…" : "")
    }
}
