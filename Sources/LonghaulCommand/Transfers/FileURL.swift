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

    /// A name is one path segment.
    func appending(_ name: String) -> String { head + PercentCoding.segment(name) + tail }
}
