/// The name of a session: an identifier in reverse-DNS form that the app chooses, such as `org.example.photos`.
///
/// It is also the name of the session's directory, so its alphabet is narrow: letters, digits, `.`, `-` and
/// `_`, one to 128 bytes, beginning with a letter or a digit.
package struct SessionID: Hashable, Sendable, CustomStringConvertible {
    /// The identifier as text.
    package let description: String

    /// Returns `nil` for an invalid identifier.
    package init?(_ text: String) {
        let bytes = Array(text.utf8)
        guard (1...128).contains(bytes.count), let first = bytes.first, Self.isLetterOrDigit(first) else { return nil }
        let allowed = bytes.allSatisfy { byte in
            Self.isLetterOrDigit(byte) || byte == UInt8(ascii: ".") || byte == UInt8(ascii: "-")
                || byte == UInt8(ascii: "_")
        }
        guard allowed else { return nil }
        description = text
    }

    /// The default session of the `longhaul` command.
    package static let commandLine = SessionID(trusted: "longhaul.command-line")

    private init(trusted text: String) {
        description = text
    }

    private static func isLetterOrDigit(_ byte: UInt8) -> Bool {
        switch byte {
        case UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "a")...UInt8(ascii: "z"),
            UInt8(ascii: "A")...UInt8(ascii: "Z"):
            true
        default: false
        }
    }
}
