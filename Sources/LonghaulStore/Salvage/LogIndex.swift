import LonghaulCore
import LonghaulSystem

/// The index of a store's log (`store.sqlite-shm`), as the last process left it. SQLite rebuilds it when it opens the store.
/// <https://www.sqlite.org/walformat.html#the_wal_index_file_format> describes the format.
struct LogIndex {
    private static let headerSize = 48
    private static let version: UInt32 = 3_007_000

    /// The number of committed frames in the log.
    let frames: Int
    /// The number of frames that a checkpoint has copied to the store.
    let copied: Int
    /// The salt of the log. The first half counts the logs of the store.
    let salt: [UInt8]

    /// Reads the index; `nil` if there is none, or if a process died while it wrote the header.
    init?(path: String) {
        guard let file = try? Descriptor(opening: path, [.reading, .atOnce]),
            let bytes = file.bytes(at: 0, count: 2 * Self.headerSize + 4)
        else { return nil }
        let header = bytes[..<Self.headerSize]
        // The order of bytes is that of the processor.
        func number(_ offset: Int) -> UInt32 {
            bytes.withUnsafeBytes { $0.loadUnaligned(fromByteOffset: offset, as: UInt32.self) }
        }
        var sum = Checksum(isBigEndian: 1.bigEndian == 1)
        sum.add(header[..<40])
        guard header.elementsEqual(bytes[Self.headerSize..<2 * Self.headerSize]), number(0) == Self.version,
            bytes[12] == 1, sum.first == number(40), sum.second == number(44)
        else { return nil }
        frames = Int(number(16))
        copied = Int(number(2 * Self.headerSize))
        salt = Array(bytes[32..<40])
    }

    /// Returns whether frames are missing in a log that begins with this salt. An index that is older than its log proves nothing: after
    /// a power failure, the file system may have an old content of the index, which is never synced.
    func names(moreThan frames: Int, salt: [UInt8]?) -> Bool {
        guard self.frames > 0 else { return false }
        guard let salt, salt != self.salt else { return self.frames > frames }
        // The count wraps around.
        return BigEndian.number(salt, at: 0) &- BigEndian.number(self.salt, at: 0) > UInt32.max / 2
    }
}
