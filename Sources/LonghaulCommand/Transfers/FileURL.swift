import LonghaulCore

/// A collection's URL with a file's name behind it.
enum FileURL {
    /// Everything but unreserved characters (RFC 3986, section 2.3) is percent-encoded: a name is one path segment.
    static func appending(_ name: String, to url: TransferURL) -> String {
        var segment: [UInt8] = []
        for byte in name.utf8 {
            switch byte {
            case UInt8(ascii: "A")...UInt8(ascii: "Z"), UInt8(ascii: "a")...UInt8(ascii: "z"),
                UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "-"), UInt8(ascii: "."), UInt8(ascii: "_"),
                UInt8(ascii: "~"):
                segment.append(byte)
            default:
                segment.append(UInt8(ascii: "%"))
                segment.append(digits[Int(byte >> 4)])
                segment.append(digits[Int(byte & 0xF)])
            }
        }
        let tail = url.text.firstIndex { $0 == "?" || $0 == "#" } ?? url.text.endIndex
        return url.text[..<tail] + String(decoding: segment, as: UTF8.self) + url.text[tail...]
    }

    private static let digits = Array("0123456789ABCDEF".utf8)
}
