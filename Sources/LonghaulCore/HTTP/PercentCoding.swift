/// Percent-encoding (RFC 3986, section 2.1).
package enum PercentCoding {
    /// Decodes once; `nil` if a `%` is not followed by two hexadecimal digits.
    package static func decode(_ text: some Sequence<UInt8>) -> [UInt8]? {
        var bytes: [UInt8] = []
        var iterator = text.makeIterator()
        while let byte = iterator.next() {
            guard byte == UInt8(ascii: "%") else {
                bytes.append(byte)
                continue
            }
            guard let high = iterator.next()?.hexDigitValue, let low = iterator.next()?.hexDigitValue else {
                return nil
            }
            bytes.append(high << 4 | low)
        }
        return bytes
    }

    /// Encodes everything except unreserved characters (RFC 3986, section 2.3): the text is one segment of a path, a name, or a
    /// password.
    package static func segment(_ text: String) -> String {
        var segment: [UInt8] = []
        for byte in text.utf8 {
            switch byte {
            case UInt8(ascii: "A")...UInt8(ascii: "Z"), UInt8(ascii: "a")...UInt8(ascii: "z"),
                UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "-"), UInt8(ascii: "."), UInt8(ascii: "_"),
                UInt8(ascii: "~"):
                segment.append(byte)
            default: append(byte, to: &segment)
            }
        }
        return String(decoding: segment, as: UTF8.self)
    }

    static func append(_ byte: UInt8, to text: inout [UInt8]) {
        text.append(UInt8(ascii: "%"))
        text.append(UInt8.upperHexDigits[Int(byte >> 4)])
        text.append(UInt8.upperHexDigits[Int(byte & 0xF)])
    }
}
