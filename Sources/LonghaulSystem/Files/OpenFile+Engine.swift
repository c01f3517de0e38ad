import CPlatform
package import LonghaulCore

#if canImport(Darwin)
    import Darwin
#else
    import Glibc
#endif

// Operations on the source and target files of transfers.

extension OpenFile {
    /// Writes bytes at an offset. Returns how many were written.
    package func write(_ bytes: UnsafeRawBufferPointer, at offset: Int64) throws(SystemError) -> Int {
        try checked { pwrite(number, bytes.baseAddress, bytes.count, off_t(offset)) }
    }

    /// Writes all bytes at an offset.
    package func writeAll(_ bytes: UnsafeRawBufferPointer, at offset: Int64) throws(SystemError) {
        var written = 0
        while written < bytes.count {
            let rest = UnsafeRawBufferPointer(rebasing: bytes.dropFirst(written))
            written += try write(rest, at: offset + Int64(written))
        }
    }

    /// Syncs the content to stable storage, with the metadata that is needed to read it. Returns and throws as `sync`.
    @discardableResult
    package func syncContent() throws(SystemError) -> SystemError? {
        try refusal { () throws(SystemError) in try value(longhaul_sync_content(number)) }
    }

    /// Syncs the whole file system of the file. Returns and throws as `sync`. Only if `Files.canSyncFileSystems`.
    package func syncFileSystem() throws(SystemError) -> SystemError? {
        #if os(Linux)
            try refusal { () throws(SystemError) in try value(longhaul_sync_file_system(number)) }
        #else
            preconditionFailure("This system cannot sync a file system.")
        #endif
    }

    /// Sets the modification time.
    package func setModified(_ date: WallTime) throws(SystemError) {
        let time = timespec(tv_sec: Int(date.seconds), tv_nsec: 0)
        try checked { futimens(number, [time, time]) }
    }

    package func setPermissions(_ permissions: UInt32) throws(SystemError) {
        try checked { fchmod(number, mode_t(truncatingIfNeeded: permissions)) }
    }

    /// Copies a range to the same offset of another file, as much as possible at once. Returns the number of bytes, 0
    /// at the end.
    package func copy(_ range: Range<Int64>, to target: some OpenFile) throws(SystemError) -> Int {
        let count = Int(clamping: range.upperBound - range.lowerBound)
        let copied = longhaul_copy_range(number, target.number, range.lowerBound, count)
        guard copied >= 0 else { throw SystemError(Int32(truncatingIfNeeded: -copied)) }
        return copied
    }

    /// Returns the next range of data at or after an offset; `nil` if only a hole or nothing is left. If the file
    /// system does not report holes, everything counts as data.
    package func data(from offset: Int64) throws(SystemError) -> Range<Int64>? {
        var end: Int64 = 0
        let start = longhaul_next_data(number, offset, &end)
        if start == -Int64(ENXIO) { return nil }
        guard start >= 0 else { throw SystemError(Int32(truncatingIfNeeded: -start)) }
        return start..<max(start, end)
    }

    /// The creation time of the file, in nanoseconds since 1970; `nil` if the file system does not report it.
    package var birth: Int64? {
        var nanoseconds: Int64 = 0
        return longhaul_birth(number, &nanoseconds) == 0 ? nanoseconds : nil
    }

    /// Announces sequential reads from this offset on. Darwin detects them itself.
    package func willBeRead(from offset: Int64 = 0, count: Int64 = 0) {
        #if os(Linux)
            posix_fadvise(number, off_t(offset), off_t(count), POSIX_FADV_SEQUENTIAL)
        #endif
    }

    /// Reserves disk space without changing the length.
    package func reserve(_ range: Range<Int64>) throws(SystemError) {
        try value(longhaul_reserve(number, range.lowerBound, range.upperBound - range.lowerBound))
    }

    /// Sets whether writes bypass the page cache, which not every file system supports.
    package func setDirect(_ isDirect: Bool) throws(SystemError) {
        try value(longhaul_set_direct(number, isDirect ? 1 : 0))
    }

    /// Fails with `fileTooLarge` if the file cannot have this length. The length of the file remains unchanged.
    ///
    /// The kernel knows the limits of its disk file systems, and refuses a seek beyond them. FUSE and network file
    /// systems leave the limit to a server, which only a change of the length reaches.
    package func checkLimit(_ length: Int64) throws(SystemError) {
        // No file system in use has a limit below that (FAT16).
        guard length > Int64(Int32.max) else { return }
        do throws(SystemError) {
            try checked { lseek(number, off_t(length), SEEK_SET) }
        } catch {
            throw error == .invalid ? .fileTooLarge : error
        }
        guard longhaul_is_limited_by_server(number) != 0 else { return }
        let size = try status().size
        guard size < length else { return }
        do throws(SystemError) {
            try truncate(to: length)
        } catch {
            if error == .fileTooLarge { throw error }
            return
        }
        try truncate(to: size)
    }

    /// Whether each write to the file system immediately shows in a file's times, for any process on this system.
    package var reportsEachChange: Bool { longhaul_tells_each_change(number) != 0 }

    /// Sets an extended attribute, which not every file system supports.
    package func setAttribute(_ name: String, _ value: String) throws(SystemError) {
        try checked { Int(longhaul_set_attribute(number, name, value, value.utf8.count)) }
    }

    /// Returns an extended attribute of this length; `nil` for another length or a missing attribute.
    package func attribute(_ name: String, length: Int) -> String? {
        var text = [UInt8](repeating: 0, count: length)
        guard longhaul_get_attribute(number, name, &text, length) == length else { return nil }
        return String(decoding: text, as: UTF8.self)
    }

    /// Links an unnamed file to a path. Fails if the path exists.
    package func takeName(_ path: String) throws(SystemError) {
        try value(longhaul_name_file(number, path))
    }

    /// Returns the free space of the file system for unprivileged users; `nil` for a file system without a size.
    package func freeBytes() throws(SystemError) -> Int64? {
        var volume = statvfs()
        try checked { fstatvfs(number, &volume) }
        return Files.freeBytes(volume)
    }
}

extension Descriptor {
    /// Creates an unnamed file on a directory's file system, which is deleted when it is closed. Not every file system
    /// supports that.
    package static func unnamed(in directory: String, permissions: UInt32) throws(SystemError) -> Descriptor {
        Descriptor(try value(longhaul_open_unnamed(directory, mode_t(truncatingIfNeeded: permissions))))
    }

    /// Creates a file in memory, whose name `/proc` shows. Darwin has no such files, and no program that needs one there.
    package static func inMemory(named name: String) throws(SystemError) -> Descriptor {
        #if os(Linux)
            Descriptor(try value(longhaul_open_in_memory(name)))
        #else
            try unnamed(in: "/tmp", permissions: 0o600)
        #endif
    }
}

extension Files {
    /// Creates a hard link. Fails if the target exists.
    package static func link(_ path: String, to target: String) throws(SystemError) {
        try systemLink(path, target)
    }

    /// Whether one call can sync a whole file system. On Darwin, a sandbox may refuse that.
    package static var canSyncFileSystems: Bool {
        #if os(Linux)
            true
        #else
            false
        #endif
    }

    /// Copies a file by sharing its blocks. Fails if the target exists, and with `isRefusedOperation` if the file
    /// system cannot share them.
    package static func clone(_ path: String, to target: String) throws(SystemError) {
        try value(longhaul_clone(path, target))
    }

    /// Renames a file. Fails if the target exists.
    package static func renameToNew(_ path: String, _ target: String) throws(SystemError) {
        try value(longhaul_rename_noreplace(path, target))
    }
}

private func systemLink(_ path: String, _ target: String) throws(SystemError) {
    try checked { link(path, target) }
}
