/// The value of `Upload-Metadata` (tus 1.0.0, creation).
package enum UploadMetadata {
    /// Joins the pairs in order. Fails for a key that is empty, repeated, or contains anything except visible ASCII without commas.
    package static func encode(_ pairs: [MetadataPair]) throws(TransferFailure) -> String {
        var keys: Set<String> = []
        var elements: [String] = []
        for pair in pairs {
            let isVisible = OutgoingText.isPrintable(pair.key, withSpaces: false)
            guard !pair.key.isEmpty, isVisible, !pair.key.utf8.contains(UInt8(ascii: ",")) else {
                throw TransferFailure(
                    .invalidArgument,
                    "A metadata key must have ASCII characters without spaces and commas.")
            }
            guard keys.insert(pair.key).inserted else {
                throw TransferFailure(
                    .invalidArgument, "The metadata key \(pair.key) must occur only once.")
            }
            elements.append(pair.value.isEmpty ? pair.key : pair.key + " " + Base64.encode(pair.value.utf8))
        }
        return elements.joined(separator: ",")
    }
}
