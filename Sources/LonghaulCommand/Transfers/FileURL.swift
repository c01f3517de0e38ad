import LonghaulCore

/// The URLs of files in a collection: its own URL with their names behind its path.
struct FileURL: Sendable {
    private let head: String
    private let tail: String

    init(collection url: TransferURL) {
        let text = url.text
        let end = text.utf8.firstIndex { $0 == UInt8(ascii: "?") || $0 == UInt8(ascii: "#") } ?? text.endIndex
        head = String(text[..<end])
        tail = String(text[end...])
    }

    /// Everything but unreserved characters (RFC 3986, section 2.3) is percent-encoded: a name is one path segment.
    func appending(_ name: String) -> String { head + Self.segment(name) + tail }

    static func segment(_ name: String) -> String {
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
        return String(decoding: segment, as: UTF8.self)
    }

    private static let digits = Array("0123456789ABCDEF".utf8)
}
