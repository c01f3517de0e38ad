package import LonghaulCore
import LonghaulSystem

extension Store {
    private static let copyMark = ".copy"

    /// Whether the open file still has the store's name. A disk that does not respond now does not count as a loss.
    package var isInPlace: Bool {
        guard let identity else { return true }
        do throws(SystemError) {
            return try FileStatus(of: path).identity == identity
        } catch {
            return !error.isMissing
        }
    }

    /// Copies all committed data to a new file under the store's name, because the open file has lost it. Another file with that
    /// name is quarantined. The directory must exist. This store must not be written afterwards.
    package func writeAnew(now: WallTime) throws(TransferFailure) {
        abandon()
        let copy = path + Self.copyMark
        Files.discard(copy)
        try createPrivateFile(copy)
        let copying = try connection.statement("vacuum into ?1")
        try copying.bind(copy, at: 1)
        try copying.run()
        try doing("rewrite") { () throws(SystemError) in try Descriptor(opening: copy, .reading).sync() }
        Self.removeLitter(of: path)
        // Under this name the next opening finds the copy if the process ends before this is finished.
        let provisional = path + Self.provisionalMark + Self.freeMark(for: path, now)
        try Self.move(copy, to: provisional)
        try Self.syncDirectory(of: path)
        if Files.isThere(path) { _ = try Self.setAside(path: path, now: now) }
        // They belong to the lost file.
        for companion in Self.companions { Files.discard(path + companion) }
        try Self.move(provisional, to: path)
        try Self.syncDirectory(of: path)
    }
}
