package import LonghaulCore
import LonghaulSystem

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
            if !companion.isEmpty, !Files.isThere(path + companion) { continue }
            try move(path + companion, to: target + companion)
        }
        try syncDirectory(of: path)
        return target
    }

    /// The date, with a number behind it where a set-aside store has that name already.
    static func freeMark(for path: String, _ now: WallTime) -> String {
        let date = CivilTime(secondsSince1970: now.seconds).text(isBasic: true)
        var mark = date
        var attempt = 1
        while ["", noteMark].contains(where: { Files.isThere(path + damageMark + mark + $0) }) {
            attempt += 1
            mark = date + "-\(attempt)"
        }
        return mark
    }

    /// Records that the user acknowledged a damaged store. Safe to repeat.
    package static func takeNote(of place: String) throws(TransferFailure) {
        try doing("acknowledge") { () throws(SystemError) in
            _ = try Descriptor(opening: place + noteMark, [.writing, .making, .noLink])
        }
        try syncDirectory(of: place)
    }

    static func move(_ path: String, to target: String) throws(TransferFailure) {
        try doing("quarantine") { () throws(SystemError) in try Files.rename(path, to: target) }
    }

    static func syncDirectory(of path: String) throws(TransferFailure) {
        try doing("quarantine") { () throws(SystemError) in try Directory.sync(Directory.of(path)) }
    }

    /// Gives the owner's own files back the mode that they are made with. SQLite gives the companions the store's mode of that
    /// moment, so one that could not be written for a while leaves companions that never can.
    static func mendModes(of path: String) {
        for file in [path] + companions.map({ path + $0 }) {
            // Where that fails, opening fails too and says so.
            guard let status = try? FileStatus(of: file, followsLinks: false), status.kind == .regular,
                status.owner == ThisProcess.effectiveUser, status.permissions & 0o600 != 0o600
            else { continue }
            try? Files.setPermissions(0o600, of: file)
        }
    }
}

/// Creates the file empty and for its owner only, unless it is there: it will hold credentials. SQLite gives the
/// companions the same mode.
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
    let code: FailureCode = error.isOutOfSpace ? .diskFull : .storeFailed
    return TransferFailure(
        code, "Could not \(step) the session's store: \(error.text).",
        origin: error.origin)
}
