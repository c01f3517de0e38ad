import LonghaulCore
import LonghaulSystem

/// Gives a verified file its name in the destination directory, without replacing anything unless asked.
///
/// Done twice it finds the name that is already ours by the file's inode, or by its mark (`PlacedMark`).
func placeFile(_ file: VerifiedFile, plan: PlacePlan) -> Result<String, TransferFailure> {
    if let path = existingName(of: file, plan: plan) { return .success(path) }
    switch plan.collision {
    case .number: return firstFreeName(for: file, plan: plan)
    case .fail:
        let target = path(of: plan.fileName, in: plan)
        do throws(SystemError) {
            try claim(target, for: file)
            return .success(target)
        } catch .exists {
            if PlacedMark.isOf(plan.id, at: target, like: file) { return .success(target) }
            return .failure(
                TransferFailure(
                    .destinationExists, "\(target) exists. Remove it and retry, or start anew with another name."))
        } catch {
            return .failure(destinationFailure(error, path: target))
        }
    case .overwrite: return overwrite(path(of: plan.fileName, in: plan), with: file, plan: plan)
    }
}

/// How many names are tried before giving up.
private let numberLimit = 10_000

/// A file with a second name was placed before a crash: its name is looked for among the likely ones, so that it does
/// not get a third one when an earlier candidate has become free in the meantime.
private func existingName(of file: VerifiedFile, plan: PlacePlan) -> String? {
    guard file.linkCount > 1 else { return nil }
    return (0...64).lazy.map { candidate($0, plan: plan) }.first { isName($0, of: file) }
}

private func firstFreeName(for file: VerifiedFile, plan: PlacePlan) -> Result<String, TransferFailure> {
    for number in 0...numberLimit {
        let target = candidate(number, plan: plan)
        do throws(SystemError) {
            try claim(target, for: file)
            return .success(target)
        } catch .exists {
            if isName(target, of: file) || PlacedMark.isOf(plan.id, at: target, like: file) { return .success(target) }
        } catch {
            return .failure(destinationFailure(error, path: target))
        }
    }
    return .failure(
        TransferFailure(.destinationExists, "\(plan.fileName) and \(numberLimit) numbered names exist. Tidy up there."))
}

/// Gives the file a new name if that is free.
private func claim(_ target: String, for file: VerifiedFile) throws(SystemError) {
    do throws(SystemError) {
        return try file.addName(target)
    } catch {
        guard error.isLackOfLinks, file.isNamed else { throw error }
    }
    do throws(SystemError) {
        return try Files.renameToNew(file.path, target)
    } catch {
        guard error.isLackOfCall else { throw error }
    }
    // The file system knows neither way: an empty file of ours holds the name until ours replaces it.
    _ = try Descriptor(opening: target, [.writing, .new])
    try Files.rename(file.path, to: target)
}

private func overwrite(_ target: String, with file: VerifiedFile, plan: PlacePlan) -> Result<String, TransferFailure> {
    // Of what cannot be looked at, renaming tells what is wrong.
    if let kind = (try? FileStatus(of: target, followsLinks: false))?.kind, kind != .regular, kind != .link {
        let what = kind == .directory ? "a directory" : "a device, a pipe or a socket"
        return .failure(TransferFailure(.destinationExists, "\(target) is \(what). Choose another name."))
    }
    let hidden = path(of: ".longhaul-\(plan.id).tmp", in: plan)
    // Left over from a crash between the two steps, with this or an older content. A file that had no name is another then.
    Files.discard(hidden)
    // Renaming over another name of the same file does nothing and leaves both (rename(2)).
    defer { Files.discard(hidden) }
    return Result { () throws(TransferFailure) in
        try receiving(target) { () throws(SystemError) in
            do throws(SystemError) {
                try file.addName(hidden)
            } catch {
                guard error.isLackOfLinks, file.isNamed else { throw error }
                return try Files.rename(file.path, to: target)
            }
            try Files.rename(hidden, to: target)
        }
        return target
    }
}

private func isName(_ path: String, of file: VerifiedFile) -> Bool {
    let identity = Files.identity(path, followsLinks: false)
    return identity?.inode == file.identity.inode && identity?.device == file.identity.device
}

private func candidate(_ number: Int, plan: PlacePlan) -> String {
    path(of: number == 0 ? plan.fileName : SafeFileName.numbered(plan.fileName, number), in: plan)
}

private func path(of name: String, in plan: PlacePlan) -> String {
    plan.directory.hasSuffix("/") ? plan.directory + name : plan.directory + "/" + name
}
