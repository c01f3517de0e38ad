import CLinux
package import LonghaulCore

#if canImport(Darwin)
    import Darwin
#else
    import Glibc
#endif

// What is done with the files that transfers come from and go to.

extension OpenFile {
    /// Writes at a place in the file: how many of the bytes it took.
    package func write(_ bytes: UnsafeRawBufferPointer, at offset: Int64) throws(SystemError) -> Int {
        try checked { pwrite(number, bytes.baseAddress, bytes.count, off_t(offset)) }
    }

    /// Writes all of them there.
    package func writeAll(_ bytes: UnsafeRawBufferPointer, at offset: Int64) throws(SystemError) {
        var written = 0
        while written < bytes.count {
            let rest = UnsafeRawBufferPointer(rebasing: bytes.dropFirst(written))
            written += try write(rest, at: offset + Int64(written))
        }
    }

    /// Brings its bytes to stable storage, and of the rest what is needed to find them; returns and throws as `sync`.
    @discardableResult
    package func syncContent() throws(SystemError) -> SystemError? {
        try refusal { () throws(SystemError) in try checked { fdatasync(number) } }
    }

    /// The same for everything of the file system that it is on.
    package func syncFileSystem() throws(SystemError) -> SystemError? {
        try refusal { () throws(SystemError) in try value(longhaul_sync_file_system(number)) }
    }

    /// Has it count as changed last at this date.
    package func setModified(_ date: WallTime) throws(SystemError) {
        let time = timespec(tv_sec: Int(date.seconds), tv_nsec: 0)
        try checked { futimens(number, [time, time]) }
    }

    package func setPermissions(_ permissions: UInt32) throws(SystemError) {
        try checked { fchmod(number, mode_t(truncatingIfNeeded: permissions)) }
    }

    /// Copies what is in a range of the file to the same place of another one, as much as goes at once: how many bytes, 0 at the end.
    package func copy(_ range: Range<Int64>, to target: some OpenFile) throws(SystemError) -> Int {
        let count = Int(clamping: range.upperBound - range.lowerBound)
        let copied = longhaul_copy_range(number, target.number, range.lowerBound, count)
        guard copied >= 0 else { throw SystemError(Int32(truncatingIfNeeded: -copied)) }
        return copied
    }

    /// Returns the next range of data at or after an offset; `nil` if only a hole is left, or nothing. If the file system does not report
    /// holes, everything is data.
    package func data(from offset: Int64) throws(SystemError) -> Range<Int64>? {
        var end: Int64 = 0
        let start = longhaul_next_data(number, offset, &end)
        if start == -Int64(ENXIO) { return nil }
        guard start >= 0 else { throw SystemError(Int32(truncatingIfNeeded: -start)) }
        return start..<max(start, end)
    }

    /// When the file was made, in nanoseconds since 1970; `nil` where its file system does not tell.
    package var birth: Int64? {
        var nanoseconds: Int64 = 0
        return longhaul_birth(number, &nanoseconds) == 0 ? nanoseconds : nil
    }

    /// It will be read from there on, in order.
    package func willBeRead(from offset: Int64 = 0, count: Int64 = 0) {
        posix_fadvise(number, off_t(offset), off_t(count), POSIX_FADV_SEQUENTIAL)
    }

    /// Takes room on the disk without changing the length.
    package func reserve(_ range: Range<Int64>) throws(SystemError) {
        try value(longhaul_reserve(number, range.lowerBound, range.upperBound - range.lowerBound))
    }

    /// Whether writes pass by the page cache; not every file system can.
    package func setDirect(_ isDirect: Bool) throws(SystemError) {
        try value(longhaul_set_direct(number, isDirect ? 1 : 0))
    }

    /// Fails with `fileTooLarge` if the file cannot become that long. Its own length is the same afterwards.
    ///
    /// The kernel knows the limit of its disk file systems and refuses a seek beyond it. FUSE and network file systems leave the limit
    /// to a server, which only a change of the length asks.
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

    /// Whether it is on a file system on which each write shows at once in a file's times, for whoever asks by this system.
    package var tellsEachChange: Bool { longhaul_tells_each_change(number) != 0 }

    /// Gives the file an extended attribute; not every file system has them.
    package func setAttribute(_ name: String, _ value: String) throws(SystemError) {
        try checked { Int(longhaul_set_attribute(number, name, value, value.utf8.count)) }
    }

    /// An extended attribute of that many bytes; `nil` for another one, or none.
    package func attribute(_ name: String, length: Int) -> String? {
        var text = [UInt8](repeating: 0, count: length)
        guard longhaul_get_attribute(number, name, &text, length) == length else { return nil }
        return String(decoding: text, as: UTF8.self)
    }

    /// Gives a file that was made without a name one, which replaces nothing.
    package func takeName(_ path: String) throws(SystemError) {
        try value(longhaul_name_file(number, path))
    }

    /// What users without privileges may still write to its file system; `nil` for one without a size.
    package func freeBytes() throws(SystemError) -> Int64? {
        var volume = statvfs()
        try checked { fstatvfs(number, &volume) }
        return Files.freeBytes(volume)
    }
}

extension Descriptor {
    /// A new file of a directory's file system that has no name, and is gone when it is closed. Not every file system can.
    package static func unnamed(in directory: String, permissions: UInt32) throws(SystemError) -> Descriptor {
        Descriptor(try value(longhaul_open_unnamed(directory, mode_t(truncatingIfNeeded: permissions))))
    }

    /// Creates a file in memory; `/proc` shows its name.
    package static func inMemory(named name: String) throws(SystemError) -> Descriptor {
        Descriptor(try value(longhaul_open_in_memory(name)))
    }
}

extension Files {
    /// Gives a file one more name, which replaces nothing.
    package static func link(_ path: String, to target: String) throws(SystemError) {
        try systemLink(path, target)
    }

    /// Gives a file another name, which replaces nothing.
    package static func renameToNew(_ path: String, _ target: String) throws(SystemError) {
        try value(longhaul_rename_noreplace(path, target))
    }
}

private func systemLink(_ path: String, _ target: String) throws(SystemError) {
    try checked { link(path, target) }
}
