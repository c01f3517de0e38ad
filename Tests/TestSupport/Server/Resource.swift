package import LonghaulCore

/// Something that can be downloaded, with its validators, and how well it does what RFC 9110 says of them.
package struct Resource: Sendable {
    package var content: Content
    /// As it stands in the header, quotes and `W/` included.
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

/// How ranges and conditions are treated; everything is right unless it is changed.
package struct RangeManners: Sendable {
    /// `false`: always 200 with everything.
    package var honoursRange = true
    /// `false`: 206 of whatever is there now (S3 look-alikes).
    package var honoursIfRange = true
    /// `false`: `If-Match` and `If-Unmodified-Since` mean nothing (lighttpd).
    package var honoursPreconditions = true
    /// What a 206 says of itself.
    package var contentRange = ContentRangeForm.right
    /// Sends the range as `multipart/byteranges`.
    package var isMultipart = false
    /// Serves no more than this of a range: a shorter 206 than asked is legal.
    package var longestRange: Int64?
    /// Whether a 416 says the total.
    package var tellsTotalIn416 = true
    /// Begins the bytes of a 206 this much after the byte that `Content-Range` names.
    package var bodyShift: Int64 = 0

    package init() {}
}

package enum ContentRangeForm: Sendable {
    case right
    case absent
    /// Both ends are said to be so much further.
    case shifted(by: Int64)
    case totalShifted(by: Int64)
    /// The total is `*`.
    case unknownTotal
    case text(String)
}
