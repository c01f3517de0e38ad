package import LonghaulCore

#if canImport(Darwin)
    import Darwin
#else
    import Glibc
#endif

extension Store {
    /// Between the store's name and the date in the name of a damaged one.
    package static let damageMark = ".damaged-"
    /// Behind a damaged store's name: somebody has taken note of it.
    package static let noteMark = ".noted"
    /// What SQLite adds to the store's name for the files beside it.
    package static let companions = ["-wal", "-shm"]

    /// Gives a store and its companions another name, so that a new one can begin and this one can be looked at; answers the
    /// new path. No connection may be open that closes in the usual way.
    ///
    /// The main file goes first: a crash in between leaves a `-wal` without its store, which SQLite drops when it
    /// creates the new one.
    package static func setAside(path: String, now: WallTime) throws(TransferFailure) -> String {
        let target = path + damageMark + freeMark(for: path, now)
        for companion in [""] + companions {
            if !companion.isEmpty, access(path + companion, F_OK) != 0 { continue }
            try move(path + companion, to: target + companion)
        }
        try syncDirectory(of: path)
        return target
    }

    /// The date, with a number behind it where a set-aside store has that name already.
    static func freeMark(for path: String, _ now: WallTime) -> String {
        let date = timestamp(now)
        var mark = date
        var attempt = 1
        while ["", noteMark].contains(where: { access(path + damageMark + mark + $0, F_OK) == 0 }) {
            attempt += 1
            mark = date + "-\(attempt)"
        }
        return mark
    }

    /// Keeps that somebody has taken note of a damaged store. May be done twice.
    package static func takeNote(of place: String) throws(TransferFailure) {
        let file = open(place + noteMark, O_WRONLY | O_CREAT | O_NOFOLLOW | O_CLOEXEC, 0o600)
        guard file >= 0 else { throw fileFailure("taken note of", errno) }
        close(file)
        try syncDirectory(of: place)
    }

    static func move(_ path: String, to target: String) throws(TransferFailure) {
        guard rename(path, target) == 0 else { throw fileFailure("set aside", errno) }
    }

    /// The directory of a path, and the name in it.
    static func parts(of path: String) -> (directory: String, name: String) {
        guard let slash = path.lastIndex(of: "/") else { return (".", path) }
        return (String(path[..<slash]), String(path[path.index(after: slash)...]))
    }

    static func syncDirectory(of path: String) throws(TransferFailure) {
        let descriptor = open(parts(of: path).directory, O_RDONLY | O_DIRECTORY | O_CLOEXEC)
        guard descriptor >= 0 else { throw fileFailure("set aside", errno) }
        defer { close(descriptor) }
        guard fsync(descriptor) == 0 else { throw fileFailure("set aside", errno) }
    }

    /// Gives the owner's own files back the mode that they are made with. SQLite gives the companions the store's mode of that
    /// moment, so one that could not be written for a while leaves companions that never can.
    static func mendModes(of path: String) {
        for file in [path] + companions.map({ path + $0 }) {
            var status = stat()
            guard lstat(file, &status) == 0, status.st_mode & S_IFMT == S_IFREG, status.st_uid == geteuid(),
                status.st_mode & 0o600 != 0o600
            else { continue }
            // Where that fails, opening fails too and says so.
            chmod(file, 0o600)
        }
    }
}

/// Creates the file empty and for its owner only, unless it is there: it will hold credentials. SQLite gives the
/// companions the same mode.
func createPrivateFile(_ path: String) throws(TransferFailure) {
    let descriptor = open(path, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0o600)
    if descriptor >= 0 {
        close(descriptor)
    } else if errno != EEXIST {
        throw fileFailure("created", errno)
    }
}

/// UTC in ISO 8601's basic form, such as `20250131T235959Z`.
private func timestamp(_ now: WallTime) -> String {
    var seconds = time_t(now.seconds)
    var parts = tm()
    guard gmtime_r(&seconds, &parts) != nil else { return "\(now.seconds)" }
    func digits(_ number: Int32, _ count: Int) -> String {
        let text = String(number)
        return String(repeating: "0", count: max(0, count - text.count)) + text
    }
    return digits(parts.tm_year + 1_900, 4) + digits(parts.tm_mon + 1, 2) + digits(parts.tm_mday, 2) + "T"
        + digits(parts.tm_hour, 2) + digits(parts.tm_min, 2) + digits(parts.tm_sec, 2) + "Z"
}

func fileFailure(_ action: String, _ number: Int32) -> TransferFailure {
    let code: FailureCode = number == ENOSPC || number == EDQUOT ? .diskFull : .storeFailed
    return TransferFailure(
        code, "The session's store could not be \(action) (\(String(cString: strerror(number)))).",
        origin: .system(Int(number)))
}
