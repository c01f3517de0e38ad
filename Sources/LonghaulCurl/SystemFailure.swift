import Glibc
import LonghaulCore

/// The system's words for an error number.
func systemText(_ number: Int32) -> String {
    String(cString: strerror(number))
}

/// A failure of the engine's own means: threads, descriptors, memory.
func systemFailure(_ number: Int32) -> TransferFailure {
    TransferFailure(
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
