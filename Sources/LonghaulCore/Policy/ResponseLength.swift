/// What a response head says about lengths.
extension ResponseHead {
    /// Bytes of the body to come; `nil` when nothing that can be believed is announced.
    package var announcedBodyLength: Int64? {
        if case .length(let length) = bodyFraming { length } else { nil }
    }

    /// Whether a length is announced that is none: not a number, beyond 2^63-1, or several that differ. Where a body
    /// begins and ends is unknown then, and no part of the response can be used (RFC 9112, section 6.3).
    package var announcesNoUsableLength: Bool { bodyFraming == .contradictory }

    /// Whether something besides the end of the connection or the stream marks the end of the body.
    package var delimitsBody: Bool { bodyFraming != .untold || !headers.all("Transfer-Encoding").isEmpty }

    var contentRange: ContentRange? {
        headers.single("Content-Range").flatMap(ContentRange.init)
    }

    private enum BodyFraming: Equatable {
        case untold
        case length(Int64)
        case contradictory
    }

    /// The same number again and again, in one line or several, is that number; `Transfer-Encoding` overrides any.
    private var bodyFraming: BodyFraming {
        if headers.contains(where: { $0.isNamed("Transfer-Encoding") }) { return .untold }
        var framing = BodyFraming.untold
        for field in headers where field.isNamed("Content-Length") {
            for element in field.value.utf8.split(separator: UInt8(ascii: ","), omittingEmptySubsequences: false) {
                guard let length = DecimalField.parse(bytes: element.trimming(while: \.isBlank)) else {
                    return .contradictory
                }
                if case .length(let before) = framing, before != length { return .contradictory }
                framing = .length(length)
            }
        }
        return framing
    }
}
