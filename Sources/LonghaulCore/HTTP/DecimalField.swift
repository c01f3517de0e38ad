/// Numbers in headers: `1*DIGIT` up to 2^63-1; with a sign, a space, or a list the header counts as absent.
package enum DecimalField {
    package static func parse(_ text: some StringProtocol) -> Int64? {
        parse(bytes: text.utf8)
    }

    static func parse(bytes: some Collection<UInt8>) -> Int64? {
        guard !bytes.isEmpty else { return nil }
        var value: Int64 = 0
        for byte in bytes {
            guard byte.isASCIIDigit else { return nil }
            let (product, tooBig) = value.multipliedReportingOverflow(by: 10)
            let (sum, stillTooBig) = product.addingReportingOverflow(Int64(byte - UInt8(ascii: "0")))
            guard !tooBig, !stillTooBig else { return nil }
            value = sum
        }
        return value
    }
}
