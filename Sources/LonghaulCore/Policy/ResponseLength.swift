/// What a response head says about lengths.
extension ResponseHead {
    /// Bytes of the body to come; `nil` when it is not announced, or announced in two ways (RFC 9112, section 6.3).
    package var announcedBodyLength: Int64? {
        guard headers.all("Transfer-Encoding").isEmpty else { return nil }
        return headers.single("Content-Length").flatMap { DecimalField.parse($0) }
    }

    var contentRange: ContentRange? {
        headers.single("Content-Range").flatMap(ContentRange.init)
    }
}
