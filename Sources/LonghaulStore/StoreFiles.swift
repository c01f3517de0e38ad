package import LonghaulCore

#if canImport(Darwin)
    import Darwin
#else
    import Glibc
#endif

extension Store {
    /// Between the store's name and the date in the name of a damaged one.
    package static let damageMark = ".damaged-"
    /// What SQLite adds to the store's name for the files beside it.
    package static let companions = ["-wal", "-shm"]

    /// Gives a damaged store and its companions another name, so that a new one can begin and the old one can be
    /// looked at; answers the new path. No connection may be open.
    ///
    /// The main file goes first: a crash in between leaves a `-wal` without its store, which SQLite drops when it
    /// creates the new one.
    package static func setAside(path: String, now: WallTime) throws(TransferFailure) -> String {
        let base = path + damageMark + timestamp(now)
        var target = base
        var attempt = 1
        while access(target, F_OK) == 0 {
            attempt += 1
            target = base + "-\(attempt)"
        }
        for companion in [""] + companions {
            guard rename(path + companion, target + companion) != 0 else { continue }
            if companion.isEmpty || errno != ENOENT { throw fileFailure("set aside", errno) }
        }
        try syncDirectory(of: path)
        return target
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

private func syncDirectory(of path: String) throws(TransferFailure) {
    let directory = path.lastIndex(of: "/").map { String(path[..<$0]) } ?? "."
    let descriptor = open(directory, O_RDONLY | O_DIRECTORY | O_CLOEXEC)
    guard descriptor >= 0 else { throw fileFailure("set aside", errno) }
    defer { close(descriptor) }
    guard fsync(descriptor) == 0 else { throw fileFailure("set aside", errno) }
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

private func fileFailure(_ action: String, _ number: Int32) -> TransferFailure {
    let code: FailureCode = number == ENOSPC || number == EDQUOT ? .diskFull : .storeFailed
    return TransferFailure(
        code, "The session's store could not be \(action) (\(String(cString: strerror(number)))).",
        origin: .system(Int(number)))
}
