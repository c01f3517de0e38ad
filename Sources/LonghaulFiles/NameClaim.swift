import LonghaulCore
import LonghaulSystem

/// Claims a free name on a file system without links and without `RENAME_NOREPLACE`.
///
/// An empty file reserves the name until the file replaces it by a rename, or as a copy if renames are refused too. A crash in between
/// leaves an incomplete file under the name. Therefore a hidden file records the name first. After a crash, the file with that name is
/// ours if its bytes are the first bytes of the download. The hidden file stays until the end is recorded.
struct NameClaim {
    let file: VerifiedFile
    let target: String
    let hidden: String
    let isWanted: () -> Bool

    /// Whether the name was claimed for this file before a crash.
    var isOurs: Bool { isClaimed && isBeginning }

    /// Claims the name. Fails with `exists` if another file has the name, and leaves nothing behind after a failure.
    func claim() throws(SystemError) {
        let isOurs = isOurs
        guard isOurs || Files.isMissing(target) else { throw .exists }
        do throws(SystemError) {
            if isOurs { try Files.remove(target) } else { try writeClaim() }
            let holder = try Descriptor(opening: target, [.writing, .new])
            try giveName(to: holder)
            file.hasClaim = true
        } catch {
            Files.discard(hidden)
            throw error
        }
    }

    private func giveName(to holder: Descriptor) throws(SystemError) {
        var holder = holder
        var isHeld = true
        do throws(SystemError) {
            if file.isNamed {
                guard let refused = try rename() else { return }
                if refused == .exists {
                    // This replaces no file, so another program's file is safe too.
                    try Files.remove(target)
                    isHeld = false
                    guard try rename() != nil else { return }
                    holder = try Descriptor(opening: target, [.writing, .new])
                    isHeld = true
                }
            }
            try fill(holder)
        } catch {
            // Otherwise the file with the name is another program's.
            if isHeld { Files.discard(target) }
            throw error
        }
    }

    private func rename() throws(SystemError) -> SystemError? {
        try refusal { () throws(SystemError) in try Files.rename(file.path, to: target) }
    }

    /// How much is copied between two checks of whether the file is still wanted.
    private static let step: Int64 = 64 << 20

    private func fill(_ copy: Descriptor) throws(SystemError) {
        var position: Int64 = 0
        while position < file.identity.size {
            guard isWanted() else { throw .cancelled }
            let range = position..<min(position + Self.step, file.identity.size)
            let count = try file.descriptor.copy(range, to: copy)
            // Another program has truncated the file.
            guard count > 0 else { throw .inputOutput }
            position += Int64(count)
        }
        try file.prepare(copy)
    }

    private var isClaimed: Bool {
        guard let claim = try? Descriptor(opening: hidden, [.reading, .noLink]) else { return false }
        return (try? claim.readAll(limit: 4_096)) == Array(target.utf8)
    }

    private func writeClaim() throws(SystemError) {
        Files.discard(hidden)
        let claim = try Descriptor(opening: hidden, [.writing, .new, .noLink])
        try claim.write(target)
        try claim.sync()
    }

    /// Whether the file with the name contains only the first bytes of this file.
    private var isBeginning: Bool {
        guard let found = try? Descriptor(opening: target, [.reading, .noLink, .atOnce]),
            let status = try? found.status(), status.kind == .regular, status.size <= file.identity.size
        else { return false }
        var position: Int64 = 0
        while position < status.size {
            let count = Int(min(status.size - position, 1 << 20))
            guard let bytes = found.bytes(at: position, count: count),
                file.descriptor.bytes(at: position, count: count) == bytes
            else { return false }
            position += Int64(count)
        }
        return true
    }
}
