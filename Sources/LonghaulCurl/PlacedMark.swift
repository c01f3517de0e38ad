import CLinux
import Glibc
import LonghaulCore

/// What a file that is written without a name carries: the identifier of its transfer, as an extended attribute.
///
/// A process that dies after the file got its name and before that was recorded asks for the file again. By the mark it then
/// finds that the name is its own. `getfattr -n user.longhaul.transfer FILE` tells a person which transfer brought a file.
enum PlacedMark {
    private static let name = "user.longhaul.transfer"
    private static let length = 36

    /// `false` where the file system has no such attributes.
    static func put(_ id: TransferID, on descriptor: Int32) -> Bool {
        id.description.withCString { longhaul_set_attribute(descriptor, name, $0, length) == 0 }
    }

    /// Whether the file of this name has the mark of a transfer, and the same bytes as another one.
    static func isOf(_ id: TransferID, at path: String, like other: VerifiedFile) -> Bool {
        let descriptor = open(path, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC)
        guard descriptor >= 0 else { return false }
        defer { close(descriptor) }
        var status = stat()
        guard fstat(descriptor, &status) == 0, status.st_mode & S_IFMT == S_IFREG,
            status.st_size == other.identity.length, status.st_size <= BodyPath.pieceSize,
            read(descriptor) == id.description
        else { return false }
        return haveSameBytes(descriptor, other.descriptor, count: Int(status.st_size))
    }

    private static func read(_ descriptor: Int32) -> String? {
        var text = [UInt8](repeating: 0, count: length)
        guard longhaul_get_attribute(descriptor, name, &text, text.count) == length else { return nil }
        return String(decoding: text, as: UTF8.self)
    }

    private static func haveSameBytes(_ one: Int32, _ other: Int32, count: Int) -> Bool {
        let bytes = UnsafeMutableRawBufferPointer.allocate(byteCount: count, alignment: 16)
        defer { bytes.deallocate() }
        return pread(other, bytes.baseAddress, count, 0) == count && holds(one, UnsafeRawBufferPointer(bytes))
    }
}
