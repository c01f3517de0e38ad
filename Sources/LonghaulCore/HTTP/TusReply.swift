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
}
