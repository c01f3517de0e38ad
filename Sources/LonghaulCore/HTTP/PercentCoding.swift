/// Percent-encoding (RFC 3986, section 2.1).
enum PercentCoding {
    /// Undoes it once; `nil` when a `%` is not followed by two hexadecimal digits.
    static func decode(_ text: some Sequence<UInt8>) -> [UInt8]? {
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

    static func append(_ byte: UInt8, to text: inout [UInt8]) {
        text.append(UInt8(ascii: "%"))
        text.append(UInt8.upperHexDigits[Int(byte >> 4)])
        text.append(UInt8.upperHexDigits[Int(byte & 0xF)])
    }
}
