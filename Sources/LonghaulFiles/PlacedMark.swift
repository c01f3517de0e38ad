import LonghaulCore
import LonghaulSystem

/// An extended attribute with the transfer's identifier, on files that are written unnamed.
///
/// A process may die after it linked the file and before it recorded that. The next process requests the file again. From the mark, it
/// then learns that the existing file is its own. `getfattr -n user.longhaul.transfer FILE` shows the transfer of a file.
enum PlacedMark {
    private static let name = "user.longhaul.transfer"
    private static let length = 36

    /// Marks the file; `false` if the file system has no extended attributes.
    static func put(_ id: TransferID, on file: Descriptor) -> Bool {
        (try? file.setAttribute(name, id.description)) != nil
    }

    /// Returns whether the file of this name has the transfer's mark, and the same bytes as `other`.
    static func isOf(_ id: TransferID, at path: String, like other: VerifiedFile) -> Bool {
        // A file that cannot be inspected does not count.
        guard let file = try? Descriptor(opening: path, [.reading, .noLink, .atOnce]),
            let status = try? file.status(), status.kind == .regular, status.size == other.identity.size,
            status.size <= PartialFile.pieceSize, file.attribute(name, length: length) == id.description
        else { return false }
        return other.descriptor.bytes(at: 0, count: Int(status.size)).map { holds(file, $0) } ?? false
    }
}
