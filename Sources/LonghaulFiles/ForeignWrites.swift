import LonghaulCore
import LonghaulSystem

/// Detects writes by other programs to a file that only Longhaul should write.
///
/// Between two of our writes, a file keeps its length and its modification time. Three kinds of change are not
/// detected: one within a clock tick of the file system after our own write (some milliseconds), one immediately before
/// our next write, and one whose author restores the time.
struct ForeignWrites {
    private let isTelling: Bool
    private var lastSeen: DigestMemory.Identity?

    /// - Parameter file: The open file; its file system decides whether its times can be trusted.
    init(_ file: Descriptor) {
        isTelling = file.reportsEachChange
    }

    /// Records the file's state after our own write.
    mutating func recordState(_ file: Descriptor) {
        guard isTelling else { return }
        // A file that cannot be inspected is not compared.
        lastSeen = (try? file.status()).map(DigestMemory.Identity.init)
    }

    /// Returns whether the file, which must have `length` bytes, differs from the recorded state.
    func areFound(in file: Descriptor, length: Int64) -> Bool {
        guard isTelling, let lastSeen, let status = try? file.status() else { return false }
        return status.size != length || DigestMemory.Identity(status) != lastSeen
    }
}

/// Empties a file whose bytes are unreliable, unless it has another hard link: its bytes may be needed there.
func emptyIfOnlyOurs(_ file: Descriptor) -> Bool {
    (try? file.status()).map { $0.linkCount <= 1 } == true && (try? file.truncate(to: 0)) != nil
}

func foreignChange(_ path: String) -> TransferFailure {
    TransferFailure(
        .fileFailed,
        "Another program modified \(path) during the download. End that program, then retry."
    )
}
