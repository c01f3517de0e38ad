/// Checks of text from users, apps, helpers, and servers before it becomes part of something that another program parses: a header, a
/// command line, or a line of input.
///
/// A URL has its own parser (`TransferURL`), and quoted or encoded text its own encoder (`StructuredString`, `FormLayout`, `Base64`).
package enum OutgoingText {
    /// Returns why a header must not be sent; `nil` if it may be. The sentence never contains the value.
    package static func fault(inHeader name: String, _ value: String) -> TransferFailure? {
        guard isToken(name) else {
            return TransferFailure(
                .invalidArgument,
                "A header name must have only letters, digits, and hyphens."
            )
        }
        let lowercased = name.lowercased()
        guard lowercased != "content-length", lowercased != "transfer-encoding" else {
            return TransferFailure(
                .invalidArgument,
                "Longhaul sets the header \(name) itself, from the length of the body. Remove it.")
        }
        guard isHeaderValue(value) else {
            return TransferFailure(
                .invalidArgument,
                "The value of the header \(name) must not contain a control character such as a line break.")
        }
        return nil
    }

    /// Whether the text may be the value of a header (RFC 9110, section 5.5): a line break would begin another header.
    package static func isHeaderValue(_ text: String) -> Bool {
        text.utf8.allSatisfy { !$0.isASCIIControl || $0 == UInt8(ascii: "\t") }
    }

    /// Whether the text is a `token` (RFC 9110, section 5.6.2), such as the name of a header.
    package static func isToken(_ text: String) -> Bool { !text.isEmpty && text.utf8.allSatisfy(\.isTokenByte) }

    /// Whether the text is a method. Longhaul sends those of capital letters only.
    package static func isMethod(_ text: String) -> Bool {
        !text.isEmpty && text.utf8.allSatisfy { (UInt8(ascii: "A")...UInt8(ascii: "Z")).contains($0) }
    }

    /// Whether the text has only visible ASCII characters and, if allowed, spaces.
    package static func isPrintable(_ text: String, withSpaces: Bool) -> Bool {
        text.utf8.allSatisfy { $0 > 0x20 && $0 < 0x7F || $0 == 0x20 && withSpaces }
    }

    /// Whether another program gets the whole text as an argument, a variable, or a path: C ends a string at a NUL.
    package static func isCString(_ text: String) -> Bool { !text.utf8.contains(0) }

    /// Whether the text is one line of another program's input.
    package static func isLine(_ text: String) -> Bool { text.utf8.allSatisfy { $0 != UInt8(ascii: "\n") && $0 != 0 } }
}
