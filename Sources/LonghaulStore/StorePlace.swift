package import LonghaulCore
import LonghaulSystem

extension Store {
    private static let copyMark = ".copy"

    /// Whether the file that is written to is still the one that others find under its name. A disk that does not answer
    /// now says nothing about the name.
    package var isInPlace: Bool {
        guard let identity else { return true }
        do throws(SystemError) {
            return try FileStatus(of: path).identity == identity
        } catch {
            return !error.isMissing
        }
    }

    /// Writes everything that was committed to a new file under the store's name: what is open has lost it. What has the name
    /// now is set aside. The directory is there. Nothing may be written through this store afterwards.
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
        // Under this name the next opening finds the copy if the process dies before the end of this.
        let provisional = path + Self.provisionalMark + Self.freeMark(for: path, now)
        try Self.move(copy, to: provisional)
        try Self.syncDirectory(of: path)
        if Files.isThere(path) { _ = try Self.setAside(path: path, now: now) }
        // They belong to the file that is gone.
        for companion in Self.companions { Files.discard(path + companion) }
        try Self.move(provisional, to: path)
        try Self.syncDirectory(of: path)
    }
}
