package import LonghaulCore

/// A small file that is read whole and replaced whole: a crash leaves the old content or the new one.
package struct AtomicFile: Sendable {
    package let path: String

    package init(_ path: String) {
        self.path = path
    }

    /// The content; `nil` when there is no such file. Files that are longer than any of ours are not read.
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
        // Without it a power cut may bring the old content back; the rename itself is done either way.
        _ = try? Directory.sync(Directory.of(path))
    }
}

extension SystemError {
    /// The failure of a step, such as `open`, with a file in the directory of the queue.
    package func failure(_ step: String, _ path: String) -> TransferFailure {
        TransferFailure(
            isOutOfSpace ? .diskFull : .storeFailed,
            "\(path): \(step) failed: \(text). Longhaul keeps its queue there. Make the directory writable.",
            origin: origin)
    }
}
