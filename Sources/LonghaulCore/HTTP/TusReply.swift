/// What the fields of a tus reply say (tus 1.0.0). A field that is malformed, or given twice with differing values,
/// is as good as absent.
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

    /// When the server will drop the upload, by the clock here: the server's clock is corrected with the reply's `Date`.
    package static func expires(in headers: [HeaderField], now: WallTime) -> WallTime? {
        guard let expires = headers.single("Upload-Expires").flatMap(HTTPDate.parse) else { return nil }
        guard let replied = headers.single("Date").flatMap(HTTPDate.parse) else { return expires }
        return now + (expires - replied)
    }

    /// The extensions that were announced, in lower case; none that is not listed may be used.
    package static func extensions(in headers: [HeaderField]) -> Set<String> {
        Set(list("Tus-Extension", in: headers).map { $0.lowercased() })
    }

    /// Whether the server says that it speaks the version Longhaul speaks.
    package static func supportsOurVersion(_ headers: [HeaderField]) -> Bool {
        list("Tus-Version", in: headers).contains("1.0.0")
    }

    /// The answer to OPTIONS; `nil` when it is not that of a tus server.
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
