/// The names of a download's partial files, which contain the identifier of its transfer. The second file exists while an earlier
/// version is kept.
package enum PartialName {
    private static let prefix = ".longhaul-"
    private static let second = ".2"
    private static let suffix = ".part"

    package static func make(_ id: TransferID, isSecond: Bool = false) -> String {
        prefix + id.description + (isSecond ? second : "") + suffix
    }

    /// The path of an unfinished copy of a partial file from another file system.
    package static func copy(of path: String) -> String { path + ".copy" }

    /// Returns the transfer that owns a file of this name; `nil` for other names.
    package static func transfer(in name: String) -> TransferID? {
        guard name.hasPrefix(prefix), name.hasSuffix(suffix) else { return nil }
        let stem = name.dropFirst(prefix.count).dropLast(suffix.count)
        let isSecond = stem.hasSuffix(second)
        guard let id = TransferID(isSecond ? stem.dropLast(second.count) : stem) else { return nil }
        return make(id, isSecond: isSecond) == name ? id : nil
    }
}
