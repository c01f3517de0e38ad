package import LonghaulCore

#if canImport(Darwin)
    import Darwin
#else
    import Glibc
#endif

/// Which file has a name.
struct FileIdentity: Equatable {
    private let device: dev_t
    private let number: ino_t

    /// `nil` when there is none.
    init?(path: String) {
        var status = stat()
        guard stat(path, &status) == 0 else { return nil }
        (device, number) = (status.st_dev, status.st_ino)
    }
}

extension Store {
    private static let copyMark = ".copy"

    /// Whether the file that is written to is still the one that others find under its name. A disk that does not answer
    /// now says nothing about the name.
    package var isInPlace: Bool {
        guard let identity else { return true }
        guard let present = FileIdentity(path: path) else { return errno != ENOENT && errno != ENOTDIR }
        return present == identity
    }

    /// Writes everything that was committed to a new file under the store's name: what is open has lost it. What has the name
    /// now is set aside. The directory is there. Nothing may be written through this store afterwards.
    package func writeAnew(now: WallTime) throws(TransferFailure) {
        abandon()
        let copy = path + Self.copyMark
        unlink(copy)
        try createPrivateFile(copy)
        let copying = try connection.statement("vacuum into ?1")
        try copying.bind(copy, at: 1)
        try copying.run()
        try Self.sync(copy)
        Self.removeLitter(of: path)
        // Under this name the next opening finds the copy if the process dies before the end of this.
        let provisional = path + Self.provisionalMark + Self.freeMark(for: path, now)
        try Self.move(copy, to: provisional)
        try Self.syncDirectory(of: path)
        if access(path, F_OK) == 0 { _ = try Self.setAside(path: path, now: now) }
        // They belong to the file that is gone.
        for companion in Self.companions { unlink(path + companion) }
        try Self.move(provisional, to: path)
        try Self.syncDirectory(of: path)
    }

    private static func sync(_ path: String) throws(TransferFailure) {
        let file = open(path, O_RDONLY | O_CLOEXEC)
        guard file >= 0 else { throw fileFailure("written anew", errno) }
        defer { close(file) }
        guard fsync(file) == 0 else { throw fileFailure("written anew", errno) }
    }
}
