/// Strings of structured fields (RFC 9651, section 3.3.3).
enum StructuredString {
    /// Returns the string in quotes; `nil` if a character is not printable ASCII.
    static func encode(_ text: String) -> String? {
        guard OutgoingText.isPrintable(text, withSpaces: true) else { return nil }
        return "\"" + text.replacing("\\", with: "\\\\").replacing("\"", with: "\\\"") + "\""
    }
}
