/// How strictly a URL is parsed: the user's URL is rejected for correction, a server's is repaired.
enum URLReading {
    case typed
    case reference

    /// Percent-encodes invalid bytes. The brackets in many queries are kept: every server accepts them, and a signature may cover
    /// them.
    func encode(_ bytes: ArraySlice<UInt8>) throws(TransferFailure) -> String {
        if bytes.allSatisfy(Self.isPlain) { return String(decoding: bytes, as: UTF8.self) }
        var text: [UInt8] = []
        text.reserveCapacity(bytes.count)
        for (index, byte) in zip(bytes.indices, bytes) {
            switch byte {
            case UInt8(ascii: " "):
                if self == .typed { throw TransferFailure(.invalidURL, "The URL contains a space. Write it as %20.") }
                PercentCoding.append(byte, to: &text)
            case UInt8(ascii: "%"):
                let digits = bytes[(index + 1)...].prefix(2)
                if digits.count == 2, digits.allSatisfy({ $0.hexDigitValue != nil }) {
                    text.append(byte)
                } else if self == .reference {
                    PercentCoding.append(byte, to: &text)
                } else {
                    throw TransferFailure(
                        .invalidURL,
                        "The URL contains a % without two hexadecimal digits after it. Write a percent sign as %25."
                    )
                }
            case UInt8(ascii: "\""), UInt8(ascii: "<"), UInt8(ascii: ">"), UInt8(ascii: "\\"), UInt8(ascii: "^"),
                UInt8(ascii: "`"), UInt8(ascii: "{"), UInt8(ascii: "|"), UInt8(ascii: "}"), 0x80...0xFF:
                PercentCoding.append(byte, to: &text)
            case 0...0x1F, 0x7F:
                throw TransferFailure(
                    .invalidURL, "The URL must not contain a control character such as a line break.")
            default:
                text.append(byte)
            }
        }
        return String(decoding: text, as: UTF8.self)
    }

    /// Whether a byte needs no encoding anywhere.
    static func isPlain(_ byte: UInt8) -> Bool {
        switch byte {
        case 0...0x20, 0x7F...0xFF: false
        case UInt8(ascii: "%"), UInt8(ascii: "\""), UInt8(ascii: "<"), UInt8(ascii: ">"), UInt8(ascii: "\\"),
            UInt8(ascii: "^"), UInt8(ascii: "`"), UInt8(ascii: "{"), UInt8(ascii: "|"), UInt8(ascii: "}"):
            false
        default: true
        }
    }
}
