import LonghaulCore
import LonghaulSystem

/// Gives a verified file its name in the destination directory, without replacing an existing file unless requested.
///
/// A repetition recognizes its earlier result by the file's inode, by its mark (`PlacedMark`), or by its claim (`NameClaim`).
struct FileNaming {
    let file: VerifiedFile
    let plan: PlacePlan
    let isWanted: () -> Bool

    func place() -> Result<String, TransferFailure> {
        if let path = existingName { return .success(path) }
        let first = place(under: plan.fileName)
        guard plan.isNameSuggested, case .failure(let failure) = first, failure.code != .diskFull else { return first }
        // The name may be the reason. Any other failure is repeated.
        for name in SafeFileName.substitutes(for: plan.fileName) {
            if case .success(let path) = place(under: name) { return .success(path) }
        }
        return first
    }

    private func place(under name: String) -> Result<String, TransferFailure> {
        switch plan.collision {
        case .number: return firstFreeName(name)
        case .fail:
            let target = path(name)
            return claiming(target).flatMap { isOurs in
                if isOurs { return .success(target) }
                return .failure(
                    TransferFailure(
                        .destinationExists, "\(target) already exists. Remove it or choose another name, then retry."))
            }
        case .overwrite: return overwrite(path(name))
        }
    }

    /// How many names are tried before giving up.
    private static let numberLimit = 10_000

    /// A file with a second hard link was placed before a crash: its name is searched among the likely ones, so that it
    /// does not get a third name if an earlier candidate has become free meanwhile.
    private var existingName: String? {
        guard file.linkCount > 1 else { return nil }
        return (0...64).lazy.map { candidate(plan.fileName, $0) }.first(where: isName)
    }

    private func firstFreeName(_ name: String) -> Result<String, TransferFailure> {
        for number in 0...Self.numberLimit {
            let target = candidate(name, number)
            switch claiming(target) {
            case .success(true): return .success(target)
            case .success(false): break
            case .failure(let failure): return .failure(failure)
            }
        }
        return .failure(
            TransferFailure(
                .destinationExists,
                "\(name) and \(Self.numberLimit) numbered names already exist. Remove some of these files."))
    }

    /// Whether the file has the name now; `false` when another one has it.
    private func claiming(_ target: String) -> Result<Bool, TransferFailure> {
        do throws(SystemError) {
            try claim(target)
            return .success(true)
        } catch .exists {
            return .success(isName(target) || PlacedMark.isOf(plan.id, at: target, like: file))
        } catch .cancelled {
            return .failure(TransferFailure(.interrupted, "Copying to \(target) was interrupted."))
        } catch .invalid, .invalidBytes, .nameTooLong {
            return .failure(
                TransferFailure(
                    .destinationUnwritable, "The file system does not accept the name \(target). Choose another one."))
        } catch {
            return .failure(destinationFailure(error, path: target))
        }
    }

    /// Gives the file a new name if that name is free.
    private func claim(_ target: String) throws(SystemError) {
        let claim = NameClaim(file: file, target: target, hidden: plan.hiddenPath, isWanted: isWanted)
        if claim.isOurs { return try claim.claim() }
        if try takes(target, { () throws(SystemError) in try file.addName(target) }) { return }
        if file.isNamed, try takes(target, { () throws(SystemError) in try Files.renameToNew(file.path, target) }) {
            return
        }
        try claim.claim()
    }

    /// Returns whether the call gave the file its name. `false` if the file system refuses the call, even with EEXIST for a name that does
    /// not exist.
    private func takes(_ target: String, _ call: () throws(SystemError) -> Void) throws(SystemError) -> Bool {
        do throws(SystemError) {
            try call()
            return true
        } catch {
            guard error.isRefusedOperation, error != .exists || Files.isMissing(target) else { throw error }
            return false
        }
    }

    private func overwrite(_ target: String) -> Result<String, TransferFailure> {
        // If the status is unavailable, the rename fails with the reason.
        if let kind = (try? FileStatus(of: target, followsLinks: false))?.kind, kind != .regular, kind != .link {
            return .failure(
                kind == .directory
                    ? TransferFailure(.destinationExists, "\(target) is a directory. Choose another name.")
                    : TransferFailure(
                        .destinationExists, "\(target) is a device, a pipe, or a socket. Choose another name."))
        }
        // Left over from a crash between the two steps, with this or an older content. A file that had no name is another then.
        Files.discard(plan.hiddenPath)
        // Renaming over another name of the same file does nothing and leaves both (rename(2)).
        defer { Files.discard(plan.hiddenPath) }
        return Result { () throws(TransferFailure) in
            try receiving(target) { () throws(SystemError) in try replace(target) }
            return target
        }
    }

    private func replace(_ target: String) throws(SystemError) {
        if try takes(plan.hiddenPath, { () throws(SystemError) in try file.addName(plan.hiddenPath) }) {
            if try renames(plan.hiddenPath, to: target) { return }
        } else if file.isNamed, try renames(file.path, to: target) {
            return
        }
        // A rename replaces nothing here, so the old file is removed first.
        do throws(SystemError) {
            try Files.remove(target)
        } catch .missing {
            // It is free already.
        }
        Files.discard(plan.hiddenPath)
        try NameClaim(file: file, target: target, hidden: plan.hiddenPath, isWanted: isWanted).claim()
    }

    private func renames(_ path: String, to target: String) throws(SystemError) -> Bool {
        try refusal { () throws(SystemError) in try Files.rename(path, to: target) } == nil
    }

    private func isName(_ path: String) -> Bool {
        let identity = Files.identity(path, followsLinks: false)
        return identity?.inode == file.identity.inode && identity?.device == file.identity.device
    }

    private func candidate(_ name: String, _ number: Int) -> String {
        path(number == 0 ? name : SafeFileName.numbered(name, number))
    }

    private func path(_ name: String) -> String {
        plan.directory.hasSuffix("/") ? plan.directory + name : plan.directory + "/" + name
    }
}

extension PlacePlan {
    /// A hidden file of the placement itself, which is deleted with the partial file.
    var hiddenPath: String { Self.hiddenPath(besides: partialPath) }

    static func hiddenPath(besides partial: String) -> String { partial + ".tmp" }
}
