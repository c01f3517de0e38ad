package import LonghaulCore

/// A directory that only its owner can access.
package enum PrivateDirectory {
    /// Creates the directory with mode 0700, and missing parents. An existing one must be a directory of this user, and
    /// no symbolic link. Looser permissions are corrected. With `mayTighten: false` they are refused, because another
    /// user may already have had access.
    package static func create(_ path: String, mayTighten: Bool) throws(TransferFailure) {
        do throws(SystemError) {
            try Directory.make(path)
        } catch {
            throw TransferFailure(
                error.isOutOfSpace ? .diskFull : .fileFailed,
                "Could not create \(path): \(error.text). \(error.remedy)", origin: error.origin)
        }
        let status: FileStatus
        do throws(SystemError) {
            status = try FileStatus(of: path, followsLinks: false)
        } catch {
            throw TransferFailure(.accessDenied, "Could not stat \(path).", error: error)
        }
        guard status.kind == .directory else {
            throw TransferFailure(
                .accessDenied, "\(path) must be a directory, not a symbolic link or a file. Remove it.")
        }
        guard status.isOwn else {
            throw TransferFailure(
                .accessDenied,
                "\(path) belongs to another user. Set HOME or XDG_STATE_HOME to a directory that you own."
            )
        }
        guard !status.isPrivate else { return }
        guard mayTighten else {
            throw TransferFailure(.accessDenied, "\(path) is accessible to other users. Remove it and try again.")
        }
        do throws(SystemError) {
            try Files.setPermissions(0o700, of: path)
        } catch {
            throw TransferFailure(.accessDenied, "Could not make \(path) private.", error: error)
        }
    }

    /// Returns whether the path is a directory of this user, and no link.
    package static func isOwned(_ path: String, by user: UInt32 = ThisProcess.user) -> Bool {
        // A directory that cannot be inspected is not the user's.
        guard let status = try? FileStatus(of: path, followsLinks: false) else { return false }
        return status.kind == .directory && status.owner == user
    }
}
