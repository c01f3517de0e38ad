/// The classes of bytes in the grammars of RFC 9110 and RFC 3986.
extension UInt8 {
    var isASCIIDigit: Bool { self >= 0x30 && self <= 0x39 }

    var isASCIILetter: Bool { (self | 0x20) >= 0x61 && (self | 0x20) <= 0x7A }

    /// C0 controls and DEL.
    var isASCIIControl: Bool { self < 0x20 || self == 0x7F }

    /// `tchar` (RFC 9110, section 5.6.2).
    var isTokenByte: Bool {
        switch self {
        case UInt8(ascii: "!"), UInt8(ascii: "#"), UInt8(ascii: "$"), UInt8(ascii: "%"), UInt8(ascii: "&"),
            UInt8(ascii: "'"), UInt8(ascii: "*"), UInt8(ascii: "+"), UInt8(ascii: "-"), UInt8(ascii: "."),
            UInt8(ascii: "^"), UInt8(ascii: "_"), UInt8(ascii: "`"), UInt8(ascii: "|"), UInt8(ascii: "~"):
            true
        default: isASCIIDigit || isASCIILetter
        }
    }

    var hexDigitValue: UInt8? {
        switch self {
        case UInt8(ascii: "0")...UInt8(ascii: "9"): self - UInt8(ascii: "0")
        case UInt8(ascii: "a")...UInt8(ascii: "f"): self - UInt8(ascii: "a") + 10
        case UInt8(ascii: "A")...UInt8(ascii: "F"): self - UInt8(ascii: "A") + 10
        default: nil
        }
    }

    /// The byte, with an uppercase ASCII letter converted to lowercase.
    var lowercasedASCII: UInt8 { self >= 0x41 && self <= 0x5A ? self | 0x20 : self }

    static let upperHexDigits: [UInt8] = Array("0123456789ABCDEF".utf8)
    static let lowerHexDigits: [UInt8] = Array("0123456789abcdef".utf8)
}
