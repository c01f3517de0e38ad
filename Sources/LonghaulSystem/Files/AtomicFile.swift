package import LonghaulCore

/// A small file that is read and replaced as a whole: after a crash, it has either the old or the new content.
package struct AtomicFile: Sendable {
    package let path: String

    package init(_ path: String) {
        self.path = path
    }

    /// Reads the content; `nil` if there is no file. Fails for a file that is longer than any file of Longhaul.
    package func read() throws(TransferFailure) -> [UInt8]? {
        do throws(SystemError) {
            return try Descriptor(opening: path, [.reading, .noLink]).readAll(limit: 1 << 20)
        } catch .missing {
            return nil
        } catch {
            throw error.failure("read", path)
        }
    }

    /// Writes, syncs, renames, and syncs the directory.
    package func write(_ bytes: [UInt8]) throws(TransferFailure) {
        do throws(SystemError) {
            let temporary = path + ".new"
            let file = try Descriptor(opening: temporary, [.writing, .making, .emptied, .noLink])
            try file.write(bytes)
            try file.sync()
            try Files.rename(temporary, to: path)
        } catch {
            throw error.failure("write", path)
        }
        // Without this sync, the old content may return after a power failure. The rename itself is complete either
        // way.
        _ = try? Directory.sync(Directory.of(path))
    }
}

extension SystemError {
    /// Returns the failure of a step, such as `open`, with a file in the queue's directory.
    package func failure(_ step: String, _ path: String) -> TransferFailure {
        if isLackOfDescriptors { return tooManyOpenFiles(self) }
        return TransferFailure(
            isOutOfSpace ? .diskFull : .storeFailed,
            "\(path): \(step) failed: \(text). Longhaul keeps its queue there. \(remedy)", origin: origin)
    }

    /// What lets Longhaul write to its own directory.
    package var remedy: String {
        if isOutOfSpace { return "Free some space there." }
        return self == .readOnlyFileSystem ? "Mount the file system for writing." : "Make the directory writable."
    }
}
