import CLinux
import Glibc
import LonghaulCore

/// The system's words for an error number.
func systemText(_ number: Int32) -> String {
    String(cString: strerror(number))
}

/// Whether the number says that this process, or the system, can open no more files and sockets now.
func isLackOfDescriptors(_ number: Int32) -> Bool { number == EMFILE || number == ENFILE }

/// Whether no file or socket can be opened at this moment: some of libcurl's results do not tell what they come from.
func lacksDescriptors() -> Bool {
    let copy = longhaul_duplicate(STDERR_FILENO)
    if copy >= 0 { close(copy) }
    return isLackOfDescriptors(-copy)
}

/// What is wanted cannot be opened beside all that is open already.
func tooManyOpenFiles(_ number: Int32) -> TransferFailure {
    let limit = longhaul_descriptor_limit()
    return TransferFailure(
        .tooManyOpenFiles,
        "All \(limit) files and connections that may be open at once are in use. It goes on when others have ended; "
            + "a smaller number of transfers at once, or a higher limit (ulimit -n), keeps it from waiting.",
        origin: .system(Int(number)))
}

/// A failure of the engine's own means: threads, descriptors, memory.
func systemFailure(_ number: Int32) -> TransferFailure {
    if isLackOfDescriptors(number) { return tooManyOpenFiles(number) }
    return TransferFailure(
        .internalFault, "The transfer engine lacks a system resource: \(systemText(number)).",
        origin: .system(Int(number)))
}

/// Why a file or directory on the receiving side cannot be used.
func destinationFailure(_ number: Int32, path: String) -> TransferFailure {
    let origin = TransferFailure.Origin.system(Int(number))
    switch number {
    case ENOSPC, EDQUOT:
        return TransferFailure(.diskFull, "There is no room left for \(path). Free some space there.", origin: origin)
    case EACCES, EPERM, EROFS, ENOENT, ENOTDIR, ELOOP, EISDIR:
        return TransferFailure(
            .destinationUnwritable,
            "\(path) cannot be written: \(systemText(number)). Choose another directory or change its permissions.",
            origin: origin)
    case EMFILE, ENFILE: return tooManyOpenFiles(number)
    case ENAMETOOLONG:
        return TransferFailure(
            .destinationUnwritable, "The name is too long for \(path). Start it anew with a shorter one.",
            origin: origin)
    default:
        return TransferFailure(
            .fileFailed, "\(path) failed: \(systemText(number)). Check the disk.", origin: origin)
    }
}

/// Why a file on the sending side cannot be used.
func sourceFailure(_ number: Int32, path: String) -> TransferFailure {
    let origin = TransferFailure.Origin.system(Int(number))
    switch number {
    case ENOENT, ENOTDIR:
        return TransferFailure(.sourceMissing, "\(path) is not there any more.", origin: origin)
    case EMFILE, ENFILE: return tooManyOpenFiles(number)
    default:
        return TransferFailure(
            .sourceUnreadable, "\(path) cannot be read: \(systemText(number)). Check its permissions.", origin: origin)
    }
}

/// Repeats a system call that a signal interrupted; the error number when it failed.
func retrying(_ call: () -> Int) throws(SystemError) -> Int {
    while true {
        let result = call()
        if result >= 0 { return result }
        if errno != EINTR { throw SystemError(number: errno) }
    }
}

/// An error number on its way to the place that knows what it means.
struct SystemError: Error {
    let number: Int32
}
