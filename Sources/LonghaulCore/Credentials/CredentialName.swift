/// The name of a credential. The app chooses it, and it is no secret.
///
/// 1 to 128 letters, digits, `.`, `-`, `_`, `+`, and `@`, starting with a letter or a digit.
package struct CredentialName: Hashable, Sendable, CustomStringConvertible {
    /// The name as text.
    package let description: String

    /// Returns `nil` for an invalid name.
    package init?(_ text: String) {
        let bytes = Array(text.utf8)
        guard (1...128).contains(bytes.count), let first = bytes.first, Self.isLetterOrDigit(first) else { return nil }
        guard bytes.allSatisfy({ Self.isLetterOrDigit($0) || ".-_+@".utf8.contains($0) }) else { return nil }
        description = text
    }

    package static let refusal = TransferFailure(
        .invalidArgument,
        "A credential name must have 1 to 128 letters, digits, and .-_+@, and start with a letter or a digit.")

    private static func isLetterOrDigit(_ byte: UInt8) -> Bool {
        switch byte {
        case UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "a")...UInt8(ascii: "z"),
            UInt8(ascii: "A")...UInt8(ascii: "Z"):
            true
        default: false
        }
    }
}

/// The kind of a named credential.
package enum CredentialKind: Equatable, Sendable {
    /// Headers for each request. One answer serves every transfer that names the credential and uses the same
    /// origin.
    case authorization
    /// A URL, such as a signed URL. Each transfer has its own, and Longhaul requests a new URL when the
    /// server reports that the present URL has expired.
    case url
}
