package import LonghaulCore

#if canImport(Glibc)
    import Glibc
#else
    import Darwin
#endif

/// A small file that is read whole and replaced whole: a crash leaves the old content or the new one.
package struct AtomicFile: Sendable {
    package let path: String

    package init(_ path: String) {
        self.path = path
    }

    /// The content; `nil` when there is no such file. Files that are longer than any of ours are not read.
    package func read() throws(TransferFailure) -> [UInt8]? {
        let file = open(path, O_RDONLY | O_CLOEXEC | O_NOFOLLOW)
        guard file >= 0 else {
            if errno == ENOENT { return nil }
            throw SessionDirectory.failure("cannot be opened", path, errno)
        }
        defer { close(file) }
        var bytes: [UInt8] = []
        var piece = [UInt8](repeating: 0, count: 4_096)
        while bytes.count <= 1 << 20 {
            let count = Self.read(file, &piece)
            guard count >= 0 else { throw SessionDirectory.failure("cannot be read", path, errno) }
            if count == 0 { return bytes }
            bytes += piece[..<count]
        }
        throw SessionDirectory.failure("cannot be read", path, EFBIG)
    }

    /// Writes, syncs, renames, and syncs the directory.
    package func write(_ bytes: [UInt8]) throws(TransferFailure) {
        let temporary = path + ".new"
        let file = open(temporary, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC | O_NOFOLLOW, 0o600)
        guard file >= 0 else { throw SessionDirectory.failure("cannot be written", temporary, errno) }
        var done = 0
        while done < bytes.count {
            let count = bytes[done...].withUnsafeBytes { Self.write(file, $0) }
            if count < 0, errno == EINTR { continue }
            if count <= 0 { break }
            done += count
        }
        let isWritten = done == bytes.count && fsync(file) == 0
        let code = errno
        close(file)
        guard isWritten else { throw SessionDirectory.failure("cannot be written", temporary, code) }
        guard rename(temporary, path) == 0 else { throw SessionDirectory.failure("cannot be replaced", path, errno) }
        syncDirectory()
    }

    /// Without it a power cut may bring the old content back; the rename itself is done either way.
    private func syncDirectory() {
        let directory = path.split(separator: "/").dropLast().map { "/" + $0 }.joined()
        let file = open(directory.isEmpty ? "/" : directory, O_RDONLY | O_DIRECTORY | O_CLOEXEC)
        guard file >= 0 else { return }
        fsync(file)
        close(file)
    }

    private static func read(_ file: Int32, _ piece: inout [UInt8]) -> Int {
        piece.withUnsafeMutableBytes { buffer in
            while true {
                #if canImport(Glibc)
                    let count = Glibc.read(file, buffer.baseAddress, buffer.count)
                #else
                    let count = Darwin.read(file, buffer.baseAddress, buffer.count)
                #endif
                if count >= 0 || errno != EINTR { return count }
            }
        }
    }

    private static func write(_ file: Int32, _ bytes: UnsafeRawBufferPointer) -> Int {
        #if canImport(Glibc)
            Glibc.write(file, bytes.baseAddress, bytes.count)
        #else
            Darwin.write(file, bytes.baseAddress, bytes.count)
        #endif
    }
}
