package import LonghaulCore

#if canImport(Darwin)
    import Darwin
#else
    import Glibc
#endif

/// The status of a file.
package struct FileStatus: Sendable {
    package enum Kind: Sendable {
        case regular, directory, link, socket, pipe, device
    }

    package let kind: Kind
    package let owner: UInt32
    /// The lower nine bits of the mode.
    package let permissions: UInt32
    package let size: Int64
    /// The size on disk, in bytes.
    package let allocated: Int64
    /// The number of hard links.
    package let linkCount: Int
    /// The time of the last content change, in nanoseconds since 1970.
    package let modified: Int64
    package let identity: FileIdentity

    /// Inspects the file with this name, or a link itself with `followsLinks: false`.
    package init(of path: String, followsLinks: Bool = true) throws(SystemError) {
        var status = stat()
        try checked { followsLinks ? stat(path, &status) : lstat(path, &status) }
        self.init(status)
    }

    package init(of file: some OpenFile) throws(SystemError) {
        var status = stat()
        try checked { fstat(file.number, &status) }
        self.init(status)
    }

    private init(_ status: stat) {
        switch status.st_mode & S_IFMT {
        case S_IFREG: kind = .regular
        case S_IFDIR: kind = .directory
        case S_IFLNK: kind = .link
        case S_IFSOCK: kind = .socket
        case S_IFIFO: kind = .pipe
        default: kind = .device
        }
        owner = status.st_uid
        permissions = UInt32(status.st_mode) & 0o777
        size = Int64(status.st_size)
        allocated = Int64(status.st_blocks) * 512
        linkCount = Int(status.st_nlink)
        #if canImport(Darwin)
            let time = status.st_mtimespec
        #else
            let time = status.st_mtim
        #endif
        modified = Int64(time.tv_sec) * 1_000_000_000 + Int64(time.tv_nsec)
        identity = FileIdentity(status)
    }

    /// Whether this process's user owns the file.
    package var isOwn: Bool { owner == ThisProcess.user }
    /// Whether only its owner can access the file.
    package var isPrivate: Bool { permissions & 0o077 == 0 }
}

/// The identity of a file, independent of its name.
package struct FileIdentity: Hashable, Sendable {
    package let device: UInt64
    package let inode: UInt64

    fileprivate init(_ status: stat) {
        device = UInt64(truncatingIfNeeded: status.st_dev)
        inode = UInt64(status.st_ino)
    }
}

extension OpenFile {
    /// Returns whether the path refers to this file: it may have been removed or replaced.
    package func isAt(_ path: String) -> Bool {
        // An uninspectable file counts as another one.
        guard let own = try? status(), let named = Files.identity(path, followsLinks: false) else { return false }
        return own.identity == named
    }
}

extension SourcePin {
    /// The values that show whether a file has changed since it was submitted.
    package init(_ status: FileStatus) {
        self.init(
            size: status.size, modified: status.modified, inode: status.identity.inode, device: status.identity.device)
    }
}
