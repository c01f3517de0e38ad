/// How the partial file of a download is called, so that its transfer can be told from its name.
package enum PartialName {
    private static let prefix = ".longhaul-"
    private static let suffix = ".part"

    package static func make(_ id: TransferID) -> String {
        "\(prefix)\(id)\(suffix)"
    }

    /// The transfer that a file of this name belongs to; `nil` when it is not the name of a partial file.
    package static func transfer(in name: String) -> TransferID? {
        guard name.hasPrefix(prefix), name.hasSuffix(suffix) else { return nil }
        guard let id = TransferID(name.dropFirst(prefix.count).dropLast(suffix.count)) else { return nil }
        return make(id) == name ? id : nil
    }
}
