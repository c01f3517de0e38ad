/// The names of the partial files of a download, which name its transfer. The second one exists while an earlier version is kept.
package enum PartialName {
    private static let prefix = ".longhaul-"
    private static let second = ".2"
    private static let suffix = ".part"

    package static func make(_ id: TransferID, isSecond: Bool = false) -> String {
        prefix + id.description + (isSecond ? second : "") + suffix
    }

    /// The path of an unfinished copy of a partial file from another file system.
    package static func copy(of path: String) -> String { path + ".copy" }

    /// The transfer that a file of this name belongs to; `nil` when it is not the name of a partial file.
    package static func transfer(in name: String) -> TransferID? {
        guard name.hasPrefix(prefix), name.hasSuffix(suffix) else { return nil }
        let stem = name.dropFirst(prefix.count).dropLast(suffix.count)
        let isSecond = stem.hasSuffix(second)
        guard let id = TransferID(isSecond ? stem.dropLast(second.count) : stem) else { return nil }
        return make(id, isSecond: isSecond) == name ? id : nil
    }
}
