import LonghaulCore

#if canImport(Darwin)
    import Darwin
#else
    import Glibc
#endif

/// Operations on files by name.
package enum Files {
    /// The access of a user to a file, or to the entries of a directory.
    package struct Access: OptionSet, Sendable {
        package let rawValue: Int32

        package init(rawValue: Int32) {
            self.rawValue = rawValue
        }

        package static let read = Access(rawValue: R_OK)
        package static let write = Access(rawValue: W_OK)
        /// For a directory: access to its entries.
        package static let execute = Access(rawValue: X_OK)
    }

    /// Returns whether a file exists. For a link, its target must exist.
    package static func isThere(_ path: String) -> Bool { access(path, F_OK) == 0 }

    /// Returns whether the name exists, even as a broken link.
    package static func isTaken(_ path: String) -> Bool {
        var status = stat()
        return lstat(path, &status) == 0
    }

    /// Returns whether the name does not exist, not even as a link. A name that cannot be inspected may exist.
    package static func isMissing(_ path: String) -> Bool {
        var status = stat()
        return lstat(path, &status) != 0 && errno == ENOENT
    }

    /// Returns whether the user has all of the access.
    package static func allows(_ wanted: Access, _ path: String) -> Bool { (try? check(wanted, path)) != nil }

    /// Fails unless the user has all of the access.
    package static func check(_ wanted: Access, _ path: String) throws(SystemError) {
        try checked { faccessat(AT_FDCWD, path, wanted.rawValue, AT_EACCESS) }
    }

    /// Returns the kind of file; `nil` if it is missing or cannot be inspected.
    package static func kind(_ path: String) -> FileStatus.Kind? {
        // For the reason, use `FileStatus`.
        (try? FileStatus(of: path))?.kind
    }

    /// Returns the identity of the file with this name; `nil` if it cannot be inspected.
    package static func identity(_ path: String, followsLinks: Bool = true) -> FileIdentity? {
        (try? FileStatus(of: path, followsLinks: followsLinks))?.identity
    }

    /// Renames a file, and replaces the target.
    package static func rename(_ path: String, to target: String) throws(SystemError) {
        try systemRename(path, target)
    }

    /// Deletes a file.
    package static func remove(_ path: String) throws(SystemError) {
        try checked { unlink(path) }
    }

    /// Deletes a file if possible. A file that remains does no harm.
    package static func discard(_ path: String) {
        unlink(path)
    }

    package static func setPermissions(_ permissions: UInt32, of path: String) throws(SystemError) {
        try checked { chmod(path, mode_t(truncatingIfNeeded: permissions)) }
    }

    /// Returns the path without links and dots; `nil` if it does not exist.
    package static func resolved(_ path: String) -> String? {
        guard let resolved = realpath(path, nil) else { return nil }
        defer { free(resolved) }
        return String(cString: resolved)
    }

    /// Returns the target of a symbolic link as it is stored; `nil` if the path is no link.
    static func linkTarget(_ path: String) -> String? {
        var name = [CChar](repeating: 0, count: Int(PATH_MAX))
        let count = readlink(path, &name, name.count)
        return count > 0 ? String(decoding: name[..<count].map(UInt8.init(bitPattern:)), as: UTF8.self) : nil
    }

    /// Returns the free space for unprivileged users; `nil` for a file system without a size, such as /proc.
    package static func freeBytes(at path: String) throws(SystemError) -> Int64? {
        var status = statvfs()
        try checked { statvfs(path, &status) }
        return freeBytes(status)
    }

    /// Whether a file system with a fixed number of inodes has none left for a new file.
    package static func lacksInodes(at path: String) -> Bool {
        var status = statvfs()
        return statvfs(path, &status) == 0
            && lacksInodes(total: UInt64(status.f_files), available: UInt64(status.f_favail))
    }

    /// A file system without a fixed number, such as Btrfs, reports 0 inodes in total.
    package static func lacksInodes(total: UInt64, available: UInt64) -> Bool { total > 0 && available == 0 }

    static func freeBytes(_ volume: statvfs) -> Int64? {
        volume.f_blocks > 0 ? Int64(clamping: UInt64(volume.f_bavail) * UInt64(volume.f_frsize)) : nil
    }
}

private func systemRename(_ path: String, _ target: String) throws(SystemError) {
    try checked { rename(path, target) }
}
