package import LonghaulCore

/// A downloadable resource with its validators, and how correctly it follows RFC 9110.
package struct Resource: Sendable {
    package var content: Content
    /// The value of the header, including quotes and `W/`.
    package var etag: String?
    package var lastModified: WallTime?
    package var contentType: String? = "application/octet-stream"
    package var ranges = RangeManners()

    package init(_ content: Content, etag: String? = nil, lastModified: WallTime? = nil) {
        self.content = content
        self.etag = etag
        self.lastModified = lastModified
    }
}

/// The handling of ranges and conditions; the defaults are correct.
package struct RangeManners: Sendable {
    /// `false`: always 200 with the whole body.
    package var honoursRange = true
    /// `false`: 206 of the present content (S3 look-alikes).
    package var honoursIfRange = true
    /// `false`: ignores `If-Match` and `If-Unmodified-Since` (lighttpd).
    package var honoursPreconditions = true
    /// The `Content-Range` of a 206.
    package var contentRange = ContentRangeForm.right
    /// Sends the range as `multipart/byteranges`.
    package var isMultipart = false
    /// The limit of bytes in a range: a 206 may be shorter than the request.
    package var longestRange: Int64?
    /// Whether a 416 includes the total.
    package var statesTotalIn416 = true
    /// Shifts the bytes of a 206 by this distance from the byte that `Content-Range` names.
    package var bodyShift: Int64 = 0

    package init() {}
}

package enum ContentRangeForm: Sendable {
    case right
    case absent
    /// Both ends are too large by this distance.
    case shifted(by: Int64)
    case totalShifted(by: Int64)
    /// The total is `*`.
    case unknownTotal
    case text(String)
}
