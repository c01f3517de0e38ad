/// The name of a credential: chosen by the app, known to its helper or to the app itself, and no secret.
///
/// One to 128 bytes of letters, digits, `.`, `-`, `_`, `+` and `@`, beginning with a letter or a digit.
public struct CredentialName: Hashable, Sendable, CustomStringConvertible {
    /// The name as text.
    public let description: String

    /// Takes a name; `nil` when it breaks the rules above.
    public init?(_ text: String) {
        let bytes = Array(text.utf8)
        guard (1...128).contains(bytes.count), let first = bytes.first, Self.isLetterOrDigit(first) else { return nil }
        guard bytes.allSatisfy({ Self.isLetterOrDigit($0) || ".-_+@".utf8.contains($0) }) else { return nil }
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

/// What a named credential stands for.
public enum CredentialKind: Int, Equatable, Sendable {
    /// Header fields that are added to each request. One answer serves every transfer that names the credential and
    /// asks the same origin.
    case authorization = 0
    /// The URL itself is the credential, as a signed URL is. Each transfer has its own; it is asked for when the server
    /// says that the present one has expired.
    case url = 1
}
