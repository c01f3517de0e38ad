import LonghaulCore

/// The conditions of one request against one resource (RFC 9110 section 13).
struct Conditions {
    private let resource: Resource
    private let request: ReceivedRequest

    init(_ resource: Resource, _ request: ReceivedRequest) {
        self.resource = resource
        self.request = request
    }

    /// `If-Match` (strong comparison), and without it `If-Unmodified-Since`.
    var preconditionsHold: Bool {
        if let wanted = request.header("If-Match") { return wanted == "*" || matchesStrongly(wanted) }
        guard let text = request.header("If-Unmodified-Since"), let limit = HTTPDate.instant(text),
            let modified = resource.lastModified
        else { return true }
        return modified.seconds <= limit.seconds
    }

    /// `If-None-Match` (weak comparison), and without it `If-Modified-Since`.
    var isNotModified: Bool {
        if let known = request.header("If-None-Match") {
            return known == "*" || tags(known).contains { opaque($0) == resource.etag.map(opaque) }
        }
        guard let text = request.header("If-Modified-Since"), let known = HTTPDate.instant(text),
            let modified = resource.lastModified
        else { return false }
        return modified.seconds <= known.seconds
    }

    /// `If-Range`: an equal strong tag, or exactly the date.
    var ifRangeHolds: Bool {
        guard let wanted = request.header("If-Range") else { return true }
        if wanted.hasSuffix("\"") { return matchesStrongly(wanted) }
        return resource.lastModified.map(HTTPDate.text) == wanted
    }

    private func matchesStrongly(_ list: String) -> Bool {
        guard let etag = resource.etag, !etag.hasPrefix("W/") else { return false }
        return tags(list).contains(etag)
    }

    private func tags(_ list: String) -> [String] {
        list.split(separator: ",").map { String($0.drop { $0 == " " }) }
    }

    private func opaque(_ tag: String) -> String {
        tag.hasPrefix("W/") ? String(tag.dropFirst(2)) : tag
    }
}
