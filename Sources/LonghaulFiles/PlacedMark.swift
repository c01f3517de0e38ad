import LonghaulCore
import LonghaulSystem

/// What a file that is written without a name carries: the identifier of its transfer, as an extended attribute.
///
/// A process that dies after the file got its name and before that was recorded asks for the file again. By the mark it then
/// finds that the name is its own. `getfattr -n user.longhaul.transfer FILE` tells a person which transfer brought a file.
enum PlacedMark {
    private static let name = "user.longhaul.transfer"
    private static let length = 36

    /// `false` where the file system has no such attributes.
    static func put(_ id: TransferID, on file: Descriptor) -> Bool {
        (try? file.setAttribute(name, id.description)) != nil
    }

    /// Whether the file of this name has the mark of a transfer, and the same bytes as another one.
    static func isOf(_ id: TransferID, at path: String, like other: VerifiedFile) -> Bool {
        // What cannot be looked at is nobody's.
        guard let file = try? Descriptor(opening: path, [.reading, .noLink, .atOnce]),
            let status = try? file.status(), status.kind == .regular, status.size == other.identity.size,
            status.size <= PartialFile.pieceSize, file.attribute(name, length: length) == id.description
        else { return false }
        return other.descriptor.bytes(at: 0, count: Int(status.size)).map { holds(file, $0) } ?? false
    }
}
