/// The headers that an app may add to its requests.
package enum HeaderRules {
    /// Returns why a header is invalid; `nil` if it may be sent. The sentence never contains the value.
    package static func check(name: String, value: String) -> TransferFailure? {
        guard !name.isEmpty, name.utf8.allSatisfy(\.isTokenByte) else {
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
        guard value.utf8.allSatisfy({ !$0.isASCIIControl || $0 == UInt8(ascii: "\t") }) else {
            return TransferFailure(
                .invalidArgument,
                "The value of the header \(name) must not contain a control character such as a line break.")
        }
        return nil
    }
}
