import CLinux
import Glibc
import LonghaulCore

/// Tells whether anybody else writes to a file that is ours alone.
///
/// Between two of our writes a file keeps its length and its modification time. What is not seen: a change within one tick of
/// the file system's clock after our own write (some milliseconds), one in the instant before our next write, and one whose
/// author puts the time back.
struct ForeignWrites {
    private let isTelling: Bool
    private var lastSeen: DigestMemory.Identity?

    /// - Parameter descriptor: The open file; its file system decides whether its times can be trusted.
    init(_ descriptor: Int32) {
        isTelling = longhaul_tells_each_change(descriptor) != 0
    }

    /// Notes the file as our own last write has left it.
    mutating func note(_ descriptor: Int32) {
        guard isTelling else { return }
        var status = stat()
        lastSeen = fstat(descriptor, &status) == 0 ? DigestMemory.Identity(status) : nil
    }

    /// Whether the file, which has to have `length` bytes, is not as it was noted.
    func areFound(in descriptor: Int32, length: Int64) -> Bool {
        guard isTelling, let lastSeen else { return false }
        var status = stat()
        guard fstat(descriptor, &status) == 0 else { return false }
        return status.st_size != length || DigestMemory.Identity(status) != lastSeen
    }
}

/// Empties a file that nobody vouches for, unless it has another name too: then its bytes may be wanted there.
func emptyIfOnlyOurs(_ descriptor: Int32) -> Bool {
    var status = stat()
    return fstat(descriptor, &status) == 0 && status.st_nlink == 1 && ftruncate(descriptor, 0) == 0
}

func foreignChange(_ path: String) -> TransferFailure {
    TransferFailure(
        .fileFailed,
        "Another program has changed \(path) while it was being downloaded. Keep other programs away from it and retry."
    )
}
