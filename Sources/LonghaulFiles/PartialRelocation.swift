import LonghaulCore
import LonghaulSystem

/// Moves a partial file to its download's new directory, and measures it there.
struct PartialRelocation: Sendable {
    let move: PartialMove
    let path: String
    let directory: String
    let mountPoint: String?

    /// Returns the events of the job. `prepare` runs once the directory is mounted. A copy ends early if `isWanted` returns `false`.
    func perform(prepare: () throws(TransferFailure) -> Void = {}, isWanted: () -> Bool) -> [EngineEvent] {
        measurePartialFile(path: path, directory: directory, mountPoint: mountPoint) { () throws(TransferFailure) in
            try prepare()
            try bring(isWanted)
            deleteLeftovers()
        }
    }

    private func bring(_ isWanted: () -> Bool) throws(TransferFailure) {
        for source in move.sources {
            guard try hasBytes(source) else { continue }
            KnownPartials.add(path)
            // rename(2) fails between file systems, and if the old directory is not writable.
            if (try? Files.rename(source, to: path)) == nil { try copy(source, isWanted) }
            return try receiving(directory) { () throws(SystemError) in try Directory.sync(directory) }
        }
    }

    /// Whether the source exists and is a regular file of this user.
    private func hasBytes(_ source: String) throws(TransferFailure) -> Bool {
        do throws(SystemError) {
            let status = try FileStatus(of: source, followsLinks: false)
            return isOwnFile(status, path: source)
        } catch {
            if error.isMissing { return false }
            throw sourceFailure(error, path: source)
        }
    }

    private func copy(_ source: String, _ isWanted: () -> Bool) throws(TransferFailure) {
        let old = try sending(source) { () throws(SystemError) in
            try Descriptor(opening: source, [.reading, .noLink])
        }
        let temporary = PartialName.copy(of: path)
        let new = try receiving(path) { () throws(SystemError) in
            if Files.isTaken(temporary) { try Files.remove(temporary) }
            return try Descriptor(opening: temporary, [.writing, .new, .noLink])
        }
        do throws(TransferFailure) {
            let status = try sending(source) { () throws(SystemError) in try old.status() }
            try receiving(path) { () throws(SystemError) in
                if let free = try new.freeBytes(), free < status.allocated { throw .noSpace }
            }
            let count = try copyContent(of: old, upTo: status.size, to: new, path: path, isWanted: isWanted)
            guard count == status.size else {
                throw TransferFailure(.interrupted, "Copying \(source) was interrupted.")
            }
            try receiving(path) { () throws(SystemError) in
                try new.sync()
                try Files.rename(temporary, to: path)
            }
        } catch {
            Files.discard(temporary)
            throw error
        }
    }

    /// Deletes the files that were not moved. If a directory is not writable, its file is emptied instead, so that it takes no space.
    private func deleteLeftovers() {
        // A directory may have several names.
        let present = Files.identity(path, followsLinks: false)
        for leftover in move.sources + move.leftovers where leftover != path {
            KnownPartials.forget(leftover)
            guard let identity = Files.identity(leftover, followsLinks: false), identity != present,
                (try? Files.remove(leftover)) == nil
            else { continue }
            if let file = try? Descriptor(opening: leftover, [.writing, .noLink]) { _ = emptyIfOnlyOurs(file) }
        }
    }
}

/// The number of bytes copied between two calls of `isWanted`.
private let copyStep: Int64 = 64 << 20

/// Copies the first `length` bytes of a file, except its holes, to an empty file. Returns the length of the copy, which is less than
/// `length` if the file is shorter or `isWanted` returned `false`.
func copyContent(
    of old: Descriptor, upTo length: Int64, to new: Descriptor, path: String, isWanted: () -> Bool
) throws(TransferFailure) -> Int64 {
    var position: Int64 = 0
    return try receiving(path) { () throws(SystemError) in
        while position < length, isWanted() {
            guard let data = try old.data(from: position), data.lowerBound < length else {
                // The rest is a hole, unless the file ends before.
                position = min(length, try old.status().size)
                break
            }
            let end = min(data.upperBound, data.lowerBound + copyStep, length)
            let count = try old.copy(data.lowerBound..<end, to: new)
            if count == 0 { break }
            position = data.lowerBound + Int64(count)
        }
        try new.truncate(to: position)
        return position
    }
}
