/// The bytes of a `multipart/form-data` body (RFC 7578), with the escapes of the WHATWG form encoding. Values keep their line breaks,
/// as in curl and unlike in browsers, because a value may be anything, such as a signed text.
///
/// The same boundary and parts always give the same bytes, so that every attempt sends the same body.
package enum FormLayout {
    /// Returns the body in the order of its parts. An empty file has a segment too, because its pin must be checked.
    package static func segments(boundary: String, parts: [FormPart]) -> (segments: [BodyPlan.Segment], length: Int64) {
        var segments: [BodyPlan.Segment] = []
        var length: Int64 = 0
        var pending: [UInt8] = []
        for part in parts {
            pending +=
                "--\(boundary)\r\nContent-Disposition: form-data; name=\"\(escaped(lineBreaks(part.name)))\"".utf8
            switch part.content {
            case .text(let value, let fileName, let contentType):
                if let fileName { pending += "; filename=\"\(escaped(baseName(fileName)))\"".utf8 }
                if let contentType { pending += "\r\nContent-Type: \(contentType)".utf8 }
                pending += "\r\n\r\n".utf8
                pending += value.utf8
            case .file(let source, let fileName, let contentType):
                let type = contentType.isEmpty ? "application/octet-stream" : contentType
                pending += "; filename=\"\(escaped(baseName(fileName)))\"\r\nContent-Type: \(type)\r\n\r\n".utf8
                segments.append(.bytes(pending))
                segments.append(.file(source, offset: 0, length: source.pin.size))
                length += Int64(pending.count) + source.pin.size
                pending = []
            }
            pending += "\r\n".utf8
        }
        pending += "--\(boundary)--\r\n".utf8
        segments.append(.bytes(pending))
        return (segments, length + Int64(pending.count))
    }

    /// Returns why these parts cannot be sent; `nil` if they can.
    package static func check(parts: [FormPart]) -> TransferFailure? {
        guard !parts.isEmpty else {
            return TransferFailure(.invalidArgument, "A form must have at least one field.")
        }
        for part in parts {
            if let failure = check(part) { return failure }
        }
        guard segments(boundary: "", parts: parts).length < .max / 2 else {
            return TransferFailure(.invalidArgument, "The files of the form are too long for one body. Send fewer.")
        }
        return nil
    }

    /// Returns why this boundary is invalid; `nil` if it is valid. A valid boundary never needs quotes.
    package static func check(boundary: String) -> TransferFailure? {
        let bytes = boundary.utf8
        let isPlain = bytes.allSatisfy { $0.isASCIILetter || $0.isASCIIDigit || $0 == UInt8(ascii: "-") }
        guard isPlain, (1...70).contains(bytes.count) else {
            return TransferFailure(
                .invalidArgument, "The form boundary must have 1 to 70 characters: letters, digits, or hyphens.")
        }
        return nil
    }

    /// Returns a boundary of 128 random bits: no content contains it by chance, so none is searched for it.
    package static func boundary(random: (UInt64, UInt64)) -> String {
        var bytes = Array("----LonghaulForm".utf8)
        for half in [random.0, random.1] {
            for shift in stride(from: 60, through: 0, by: -4) {
                bytes.append(UInt8.lowerHexDigits[Int(half >> UInt64(shift) & 0xF)])
            }
        }
        return String(decoding: bytes, as: UTF8.self)
    }

    package static func contentType(boundary: String) -> String {
        "multipart/form-data; boundary=" + boundary
    }

    private static func check(_ part: FormPart) -> TransferFailure? {
        guard OutgoingText.isCString(part.name) else {
            return TransferFailure(.invalidArgument, "The name of a form field must not contain a NUL character.")
        }
        switch part.content {
        case .text(_, let fileName, let contentType): return check(fileName: fileName, contentType: contentType)
        case .file(let source, let fileName, let contentType):
            guard source.pin.size >= 0 else {
                return TransferFailure(.invalidArgument, "The length of a form file must not be negative.")
            }
            return check(fileName: fileName, contentType: contentType)
        }
    }

    private static func check(fileName: String?, contentType: String?) -> TransferFailure? {
        guard OutgoingText.isCString(fileName ?? "") else {
            return TransferFailure(.invalidArgument, "The name of a form file must not contain a NUL character.")
        }
        guard OutgoingText.isHeaderValue(contentType ?? "") else {
            return TransferFailure(
                .invalidArgument,
                "The content type of a form field must not contain a control character such as a line break.")
        }
        return nil
    }

    /// Returns the part after the last slash; some receivers treat a file with an empty name as a text field.
    private static func baseName(_ path: String) -> [UInt8] {
        let name = path.utf8.split(separator: UInt8(ascii: "/"), omittingEmptySubsequences: false).last ?? ""[...].utf8
        return name.isEmpty ? Array("file".utf8) : Array(name)
    }

    /// Replaces a lone CR or LF by CRLF.
    private static func lineBreaks(_ text: String) -> [UInt8] {
        var bytes: [UInt8] = []
        bytes.reserveCapacity(text.utf8.count)
        var followsCR = false
        for byte in text.utf8 {
            switch byte {
            case UInt8(ascii: "\r"): bytes += [byte, UInt8(ascii: "\n")]
            case UInt8(ascii: "\n"): if !followsCR { bytes += [UInt8(ascii: "\r"), byte] }
            default: bytes.append(byte)
            }
            followsCR = byte == UInt8(ascii: "\r")
        }
        return bytes
    }

    /// Escapes only these three: `%` and `\` stay unchanged.
    private static func escaped(_ bytes: [UInt8]) -> String {
        var text: [UInt8] = []
        text.reserveCapacity(bytes.count)
        for byte in bytes {
            switch byte {
            case UInt8(ascii: "\""), UInt8(ascii: "\r"), UInt8(ascii: "\n"): PercentCoding.append(byte, to: &text)
            default: text.append(byte)
            }
        }
        return String(decoding: text, as: UTF8.self)
    }
}
