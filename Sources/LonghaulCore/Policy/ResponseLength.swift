/// Lengths in the headers of a response.
extension ResponseHead {
    /// The number of bytes of the body; `nil` if no trustworthy length is announced.
    package var announcedBodyLength: Int64? {
        if case .length(let length) = bodyFraming { length } else { nil }
    }

    /// Whether the announced length is invalid: not a number, beyond 2^63-1, or several different ones. The end of the
    /// body is then unknown, and no part of the response can be used (RFC 9112, section 6.3).
    package var announcesNoUsableLength: Bool { bodyFraming == .contradictory }

    /// Whether the end of the body is marked by more than the end of the connection or the stream.
    package var delimitsBody: Bool { bodyFraming != .untold || !headers.all("Transfer-Encoding").isEmpty }

    var contentRange: ContentRange? {
        headers.single("Content-Range").flatMap(ContentRange.init)
    }

    private enum BodyFraming: Equatable {
        case untold
        case length(Int64)
        case contradictory
    }

    /// Repetitions of the same number, in one line or several, count as that number. `Transfer-Encoding` overrides any
    /// length.
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
