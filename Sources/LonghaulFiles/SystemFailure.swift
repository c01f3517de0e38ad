package import LonghaulCore
package import LonghaulSystem

/// Returns the failure for a file or directory on the receiving side.
///
/// - Parameter lacksInodes: Whether the file system of a directory has no inode left.
package func destinationFailure(
    _ error: SystemError, path: String, lacksInodes: (String) -> Bool = { Files.lacksInodes(at: $0) }
) -> TransferFailure {
    let origin = error.origin
    switch error {
    case _ where error.isOutOfSpace && lacksInodes(Directory.of(path)):
        return TransferFailure(
            .diskFull, "The file system has no inode left for \(path). Delete some files there.", origin: origin)
    case _ where error.isOutOfSpace:
        return TransferFailure(
            .diskFull, "The disk is full: no space left for \(path). Free some space there.", origin: origin)
    case _ where error.isRefusal || error.isMissing:
        return TransferFailure(
            .destinationUnwritable,
            "Could not write \(path): \(error.text). Choose another directory or change its permissions.",
            origin: origin)
    case _ where error.isLackOfDescriptors: return tooManyOpenFiles(error)
    // Without an origin, because an unplugged drive is not the reason (`RetryPolicy`).
    case .nameTooLong:
        return TransferFailure(.destinationUnwritable, "The name is too long for \(path). Choose a shorter one.")
    case .fileTooLarge:
        return TransferFailure(
            .destinationUnwritable,
            "\(path) would be larger than its file system or the limit of this process (ulimit -f) allows. "
                + "Choose another directory.")
    default:
        return TransferFailure(
            .fileFailed, "Could not access \(path): \(error.text). Check the disk.", origin: origin)
    }
}

/// Returns the failure for a file on the sending side.
func sourceFailure(_ error: SystemError, path: String) -> TransferFailure {
    let origin = error.origin
    switch error {
    case _ where error.isMissing:
        return TransferFailure(.sourceMissing, "\(path) no longer exists.", origin: origin)
    case _ where error.isLackOfDescriptors: return tooManyOpenFiles(error)
    default:
        return TransferFailure(
            .sourceUnreadable, "Could not read \(path): \(error.text). Check its permissions.", origin: origin)
    }
}

/// Performs an operation on a received file, and converts its error to a failure.
package func receiving<Value>(
    _ path: String, _ body: () throws(SystemError) -> Value
) throws(TransferFailure) -> Value {
    do throws(SystemError) {
        return try body()
    } catch {
        throw destinationFailure(error, path: path)
    }
}

/// Performs an operation on a sent file, and converts its error to a failure.
package func sending<Value>(_ path: String, _ body: () throws(SystemError) -> Value) throws(TransferFailure) -> Value {
    do throws(SystemError) {
        return try body()
    } catch {
        throw sourceFailure(error, path: path)
    }
}
