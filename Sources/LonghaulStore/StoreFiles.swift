package import LonghaulCore
import LonghaulSystem

extension Store {
    /// Separates the store's name from the time in the name of a damaged store.
    package static let damageMark = ".damaged-"
    /// The suffix of the file that records the acknowledgement of a damaged store.
    package static let recordMark = ".noted"
    /// The suffix of the file that exists while a store is created: an empty store without it was emptied.
    static let creationMark = ".new"
    /// SQLite's suffixes for the files beside the store.
    package static let companions = ["-wal", "-shm"]

    /// Renames a store and its companions, so that a new one can be created and this one can be inspected; returns the new path. No
    /// connection that closes normally may be open. For any other damaged file too. `report` returns the sentence that is stored beside
    /// the file, if there is one.
    ///
    /// The main file goes first: a crash in between leaves a `-wal` without its store, which SQLite deletes when it creates the new
    /// one.
    package static func setAside(
        path: String, now: WallTime, report: ((_ place: String) -> String)? = nil
    ) throws(TransferFailure) -> String {
        let target = path + damageMark + freeMark(for: path, now)
        if let report { try writeReport(report(target) + "\n", to: target + reportMark) }
        for companion in [""] + companions {
            if !companion.isEmpty, !Files.isThere(path + companion) { continue }
            try move(path + companion, to: target + companion)
        }
        try syncDirectory(of: path)
        return target
    }

    /// Returns the time, with a number appended if a quarantined store has that name already.
    static func freeMark(for path: String, _ now: WallTime) -> String {
        let date = CivilTime(secondsSince1970: now.seconds).text(isBasic: true)
        var mark = date
        var attempt = 1
        while ["", recordMark].contains(where: { Files.isThere(path + damageMark + mark + $0) }) {
            attempt += 1
            mark = date + "-\(attempt)"
        }
        return mark
    }

    /// Records that the user acknowledged a damaged store. Safe to repeat.
    package static func takeNote(of place: String) throws(TransferFailure) {
        try doing("acknowledge") { () throws(SystemError) in
            _ = try Descriptor(opening: place + recordMark, [.writing, .making, .noLink])
        }
        try syncDirectory(of: place)
    }

    static func move(_ path: String, to target: String) throws(TransferFailure) {
        try doing("quarantine") { () throws(SystemError) in try Files.rename(path, to: target) }
    }

    static func syncDirectory(of path: String) throws(TransferFailure) {
        try doing("quarantine") { () throws(SystemError) in try Directory.sync(Directory.of(path)) }
    }
}

/// Restores the mode of the owner's files. SQLite gives the companions the store's current mode, so a store that was read-only
/// for a while leaves companions that stay read-only.
func repairModes(of path: String) {
    for file in [path] + Store.companions.map({ path + $0 }) {
        // If that fails, opening fails too and reports it.
        guard let status = try? FileStatus(of: file, followsLinks: false), status.kind == .regular,
            status.owner == ThisProcess.effectiveUser, status.permissions & 0o600 != 0o600
        else { continue }
        try? Files.setPermissions(0o600, of: file)
    }
}

/// Creates an empty file for a store unless there is a file. Returns whether the store is new, now or since a crash.
func createStoreFile(_ path: String) throws(TransferFailure) -> Bool {
    let mark = path + Store.creationMark
    guard !Files.isThere(path) else { return Files.isThere(mark) }
    try createPrivateFile(mark)
    try createPrivateFile(path)
    return true
}

/// Creates the file, empty and accessible only to its owner, unless it exists: it will contain credentials. SQLite gives the companions
/// the same mode.
func createPrivateFile(_ path: String) throws(TransferFailure) {
    do throws(SystemError) {
        _ = try Descriptor(opening: path, [.both, .new])
    } catch .exists {
        return
    } catch {
        throw fileFailure("create", error)
    }
}

/// Performs a step, such as `quarantine`, and names it in its failure.
func doing(_ step: String, _ body: () throws(SystemError) -> Void) throws(TransferFailure) {
    do throws(SystemError) {
        try body()
    } catch {
        throw fileFailure(step, error)
    }
}

func fileFailure(_ step: String, _ error: SystemError) -> TransferFailure {
    if error.isLackOfDescriptors { return tooManyOpenFiles(error) }
    let code: FailureCode = error.isOutOfSpace ? .diskFull : .storeFailed
    return TransferFailure(
        code, "Could not \(step) the session's store: \(error.text).",
        origin: error.origin)
}
