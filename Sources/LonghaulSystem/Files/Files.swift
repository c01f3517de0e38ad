import LonghaulCore

#if canImport(Darwin)
    import Darwin
#else
    import Glibc
#endif

/// What is done with files by their names.
package enum Files {
    /// What a user may want to do with a file, or in a directory.
    package struct Access: OptionSet, Sendable {
        package let rawValue: Int32

        package init(rawValue: Int32) {
            self.rawValue = rawValue
        }

        package static let read = Access(rawValue: R_OK)
        package static let write = Access(rawValue: W_OK)
        /// For a directory: to reach what is in it.
        package static let execute = Access(rawValue: X_OK)
    }

    /// Whether something has the name and, if that is a link, is where it leads to.
    package static func isThere(_ path: String) -> Bool { access(path, F_OK) == 0 }

    /// Whether something has the name, and be it a link that leads nowhere.
    package static func isTaken(_ path: String) -> Bool {
        var status = stat()
        return lstat(path, &status) == 0
    }

    /// Whether nothing has the name, not even a link. What cannot be looked at may be there.
    package static func isMissing(_ path: String) -> Bool {
        var status = stat()
        return lstat(path, &status) != 0 && errno == ENOENT
    }

    /// Whether the user may do all of that.
    package static func allows(_ wanted: Access, _ path: String) -> Bool { (try? check(wanted, path)) != nil }

    /// Fails when the user may not do all of that.
    package static func check(_ wanted: Access, _ path: String) throws(SystemError) {
        try checked { faccessat(AT_FDCWD, path, wanted.rawValue, AT_EACCESS) }
    }

    /// What is there; `nil` when nothing is or nobody may know.
    package static func kind(_ path: String) -> FileStatus.Kind? {
        // Whoever wants the reason asks for the status.
        (try? FileStatus(of: path))?.kind
    }

    /// The file that has the name; `nil` when that cannot be told.
    package static func identity(_ path: String, followsLinks: Bool = true) -> FileIdentity? {
        (try? FileStatus(of: path, followsLinks: followsLinks))?.identity
    }

    /// Gives a file another name, which it takes from whatever has it.
    package static func rename(_ path: String, to target: String) throws(SystemError) {
        try systemRename(path, target)
    }

    /// Deletes a file.
    package static func remove(_ path: String) throws(SystemError) {
        try checked { unlink(path) }
    }

    /// Deletes a file if that can be done: it is in nobody's way.
    package static func discard(_ path: String) {
        unlink(path)
    }

    package static func setPermissions(_ permissions: UInt32, of path: String) throws(SystemError) {
        try checked { chmod(path, mode_t(truncatingIfNeeded: permissions)) }
    }

    /// The path without links and dots; `nil` when it leads nowhere.
    package static func resolved(_ path: String) -> String? {
        guard let resolved = realpath(path, nil) else { return nil }
        defer { free(resolved) }
        return String(cString: resolved)
    }

    /// What users without privileges may still write to this file system; `nil` for one without a size, such as /proc.
    package static func freeBytes(at path: String) throws(SystemError) -> Int64? {
        var status = statvfs()
        try checked { statvfs(path, &status) }
        return freeBytes(status)
    }

    static func freeBytes(_ volume: statvfs) -> Int64? {
        volume.f_blocks > 0 ? Int64(clamping: UInt64(volume.f_bavail) * UInt64(volume.f_frsize)) : nil
    }
}

private func systemRename(_ path: String, _ target: String) throws(SystemError) {
    try checked { rename(path, target) }
}
