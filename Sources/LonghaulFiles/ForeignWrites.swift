import LonghaulCore
import LonghaulSystem

/// Tells whether anybody else writes to a file that is ours alone.
///
/// Between two of our writes a file keeps its length and its modification time. What is not seen: a change within one tick of
/// the file system's clock after our own write (some milliseconds), one in the instant before our next write, and one whose
/// author puts the time back.
struct ForeignWrites {
    private let isTelling: Bool
    private var lastSeen: DigestMemory.Identity?

    /// - Parameter file: The open file; its file system decides whether its times can be trusted.
    init(_ file: Descriptor) {
        isTelling = file.tellsEachChange
    }

    /// Notes the file as our own last write has left it.
    mutating func note(_ file: Descriptor) {
        guard isTelling else { return }
        // What cannot be looked at is not compared.
        lastSeen = (try? file.status()).map(DigestMemory.Identity.init)
    }

    /// Whether the file, which has to have `length` bytes, is not as it was noted.
    func areFound(in file: Descriptor, length: Int64) -> Bool {
        guard isTelling, let lastSeen, let status = try? file.status() else { return false }
        return status.size != length || DigestMemory.Identity(status) != lastSeen
    }
}

/// Empties a file that nobody vouches for, unless it has another name too: then its bytes may be wanted there.
func emptyIfOnlyOurs(_ file: Descriptor) -> Bool {
    (try? file.status()).map { $0.linkCount <= 1 } == true && (try? file.truncate(to: 0)) != nil
}

func foreignChange(_ path: String) -> TransferFailure {
    TransferFailure(
        .fileFailed,
        "Another program modified \(path) during the download. End that program, then retry."
    )
}
