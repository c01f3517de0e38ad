import Glibc
package import LonghaulCore

/// A directory that only its owner can look into.
package enum PrivateDirectory {
    /// Creates the directory with mode 0700, and parents that are missing, and checks what is there: a directory, not a
    /// symbolic link, this user's. Looser permissions are corrected, or with `mayTighten: false` refused, because
    /// somebody may have reached in already.
    package static func create(_ path: String, mayTighten: Bool) throws(TransferFailure) {
        try makeWithParents(path)
        var status = stat()
        guard lstat(path, &status) == 0 else {
            throw TransferFailure(.accessDenied, "\(path) cannot be looked at.", error: errno)
        }
        guard status.st_mode & S_IFMT == S_IFDIR else {
            throw TransferFailure(.accessDenied, "\(path) must be a directory and no link. Remove what is there.")
        }
        guard status.st_uid == getuid() else {
            throw TransferFailure(
                .accessDenied,
                "\(path) belongs to another user. Set HOME to your own directory, or XDG_STATE_HOME to one of your own."
            )
        }
        guard status.st_mode & 0o077 != 0 else { return }
        guard mayTighten else {
            throw TransferFailure(.accessDenied, "\(path) can be reached by other users. Remove it and try again.")
        }
        guard chmod(path, 0o700) == 0 else {
            throw TransferFailure(.accessDenied, "\(path) cannot be closed to other users.", error: errno)
        }
    }

    /// Whether the path is a directory of this user, and no link.
    package static func isOwned(_ path: String, by user: UInt32) -> Bool {
        var status = stat()
        return lstat(path, &status) == 0 && status.st_mode & S_IFMT == S_IFDIR && status.st_uid == user
    }

    private static func makeWithParents(_ path: String) throws(TransferFailure) {
        if mkdir(path, 0o700) == 0 || errno == EEXIST { return }
        guard errno == ENOENT, let slash = path.lastIndex(of: "/"), slash != path.startIndex else {
            throw failure(path, errno)
        }
        try makeWithParents(String(path[..<slash]))
        guard mkdir(path, 0o700) == 0 || errno == EEXIST else { throw failure(path, errno) }
    }

    private static func failure(_ path: String, _ error: Int32) -> TransferFailure {
        error == ENOSPC || error == EDQUOT
            ? TransferFailure(.diskFull, "There is no room to create \(path).", error: error)
            : TransferFailure(.fileFailed, "\(path) cannot be created.", error: error)
    }
}
