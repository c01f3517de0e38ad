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

    /// The response with the status that its `Content-Range` implies. Some servers send parts with 200, where the header has no meaning
    /// (RFC 9110, section 14.4); the body would be taken for the whole file. Others send the whole file with 206, although no range was
    /// requested.
    func withStatusOfRange(isRequested: Bool) -> ResponseHead {
        let isWhole: Bool
        switch contentRange {
        case .part(let first, let last, let total): isWhole = first == 0 && last + 1 == total
        case .empty: isWhole = false
        case .unsatisfied, nil: return self
        }
        var head = self
        switch status {
        case 200 where !isWhole, 203 where !isWhole: head.status = 206
        case 206 where isWhole && !isRequested: head.status = 200
        default: break
        }
        return head
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
