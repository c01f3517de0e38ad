import CLinux
import Glibc
import LonghaulCore

/// Gives a verified file its name in the destination directory, without replacing anything unless asked.
///
/// Done twice it finds the name that is already ours by the file's inode, or by its mark (`PlacedMark`).
func placeFile(_ file: VerifiedFile, plan: PlacePlan) -> Result<String, TransferFailure> {
    if let path = existingName(of: file, plan: plan) { return .success(path) }
    switch plan.collision {
    case .number: return firstFreeName(for: file, plan: plan)
    case .fail:
        let target = path(of: plan.fileName, in: plan)
        switch claim(target, for: file) {
        case 0: return .success(target)
        case EEXIST where PlacedMark.isOf(plan.id, at: target, like: file): return .success(target)
        case EEXIST:
            return .failure(
                TransferFailure(
                    .destinationExists, "\(target) exists. Remove it and retry, or start anew with another name."))
        case let code: return .failure(destinationFailure(code, path: target))
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
        switch claim(target, for: file) {
        case 0: return .success(target)
        case EEXIST:
            if isName(target, of: file) || PlacedMark.isOf(plan.id, at: target, like: file) { return .success(target) }
        case let code: return .failure(destinationFailure(code, path: target))
        }
    }
    return .failure(
        TransferFailure(.destinationExists, "\(plan.fileName) and \(numberLimit) numbered names exist. Tidy up there."))
}

/// Gives the file a new name if that is free. 0, or the error number.
private func claim(_ target: String, for file: VerifiedFile) -> Int32 {
    let linked = file.addName(target)
    guard cannotLink(linked), file.isNamed else { return linked }
    let code = -longhaul_rename_noreplace(file.path, target)
    guard code == EINVAL || code == ENOSYS else { return code }
    // The file system knows neither way: an empty file of ours holds the name until ours replaces it.
    let descriptor = open(target, O_CREAT | O_EXCL | O_WRONLY | O_CLOEXEC, 0o600)
    guard descriptor >= 0 else { return errno }
    close(descriptor)
    return rename(file.path, target) == 0 ? 0 : errno
}

private func overwrite(_ target: String, with file: VerifiedFile, plan: PlacePlan) -> Result<String, TransferFailure> {
    var status = stat()
    if lstat(target, &status) == 0, ![S_IFREG, S_IFLNK].contains(status.st_mode & S_IFMT) {
        let kind = status.st_mode & S_IFMT == S_IFDIR ? "a directory" : "a device, a pipe or a socket"
        return .failure(TransferFailure(.destinationExists, "\(target) is \(kind). Choose another name."))
    }
    let hidden = path(of: ".longhaul-\(plan.id).tmp", in: plan)
    // Left over from a crash between the two steps, with this or an older content. A file that had no name is another then.
    unlink(hidden)
    let linked = file.addName(hidden)
    if linked != 0 {
        guard cannotLink(linked), file.isNamed else { return .failure(destinationFailure(linked, path: target)) }
        return rename(file.path, target) == 0 ? .success(target) : .failure(destinationFailure(errno, path: target))
    }
    guard rename(hidden, target) == 0 else {
        let code = errno
        unlink(hidden)
        return .failure(destinationFailure(code, path: target))
    }
    // Renaming over another name of the same file does nothing and leaves both (rename(2)).
    unlink(hidden)
    return .success(target)
}

private func cannotLink(_ code: Int32) -> Bool {
    code == EPERM || code == EOPNOTSUPP || code == EMLINK || code == ENOSYS
}

private func isName(_ path: String, of file: VerifiedFile) -> Bool {
    var status = stat()
    guard lstat(path, &status) == 0 else { return false }
    return UInt64(status.st_ino) == file.identity.inode && UInt64(status.st_dev) == file.identity.device
}

private func candidate(_ number: Int, plan: PlacePlan) -> String {
    path(of: number == 0 ? plan.fileName : SafeFileName.numbered(plan.fileName, number), in: plan)
}

private func path(of name: String, in plan: PlacePlan) -> String {
    plan.directory.hasSuffix("/") ? plan.directory + name : plan.directory + "/" + name
}
