package import LonghaulCore

#if canImport(Darwin)
    import Darwin
#else
    import Glibc
#endif

/// The error of a system call (`errno`).
package struct SystemError: Error, Hashable, Sendable {
    package let number: Int32

    package init(_ number: Int32) {
        self.number = number
    }

    /// The system's message for the error.
    package var text: String { String(cString: strerror(number)) }

    package static let missing = SystemError(ENOENT)
    package static let exists = SystemError(EEXIST)
    package static let notDirectory = SystemError(ENOTDIR)
    package static let denied = SystemError(EACCES)
    package static let wouldBlock = SystemError(EAGAIN)
    package static let brokenPipe = SystemError(EPIPE)
    package static let connectionRefused = SystemError(ECONNREFUSED)
    package static let timedOut = SystemError(ETIMEDOUT)
    /// The process has reached its limit of descriptors.
    package static let noDescriptorLeft = SystemError(EMFILE)
    package static let fileTooLarge = SystemError(EFBIG)
    package static let invalid = SystemError(EINVAL)
    package static let outOfMemory = SystemError(ENOMEM)
    package static let noSpace = SystemError(ENOSPC)
    package static let otherVolume = SystemError(EXDEV)
    package static let nameTooLong = SystemError(ENAMETOOLONG)
    package static let tooMuch = SystemError(E2BIG)
    /// A name contains bytes that are invalid in the file system's character set.
    package static let invalidBytes = SystemError(EILSEQ)
    package static let inputOutput = SystemError(EIO)
    package static let readOnlyFileSystem = SystemError(EROFS)
    package static let cancelled = SystemError(ECANCELED)
    package static let unsupported = SystemError(ENOTSUP)

    /// Whether no file has that name.
    package var isMissing: Bool { self == .missing || self == .notDirectory }
    /// Whether the disk, or the user's quota, is full.
    package var isOutOfSpace: Bool { number == ENOSPC || number == EDQUOT }
    /// Whether the process, or the system, can open no more files and sockets now.
    package var isLackOfDescriptors: Bool { number == EMFILE || number == ENFILE }
    /// Whether the process or the system lacks descriptors or memory now.
    package var isLackOfResources: Bool { isLackOfDescriptors || number == ENOMEM || number == ENOBUFS }
    /// Whether the same call may succeed at once.
    package var isPassing: Bool { number == EINTR || number == ECONNABORTED }
    /// Whether a file system's device or server is gone, perhaps temporarily.
    package var isLackOfDevice: Bool {
        [EIO, ENXIO, ENODEV, ENOTCONN, ESTALE, ESHUTDOWN, EHOSTDOWN, ETIMEDOUT].contains(number)
    }
    /// Whether another path or other permissions would help.
    package var isRefusal: Bool { [EACCES, EPERM, EROFS, ELOOP, EISDIR].contains(number) }
    /// Whether there is no route to another machine.
    package var isLackOfNetwork: Bool { [ENETUNREACH, EHOSTUNREACH, ENETDOWN].contains(number) }
    /// Whether the file system refuses the operation, without effect on the file's bytes. FUSE, CIFS, NFS, and FAT have
    /// different numbers for "not supported".
    package var isRefusedOperation: Bool {
        [EPERM, EACCES, EINVAL, ENOSYS, EOPNOTSUPP, ENOTTY, EROFS, EXDEV, EMLINK, EBADF, EEXIST].contains(number)
    }
    /// Whether bind(2) failed because the file system has no sockets, such as FAT, FUSE, CIFS, or 9p.
    package var isLackOfSockets: Bool { [EPERM, EOPNOTSUPP, ENOSYS, EINVAL, ENXIO].contains(number) }
}

extension TransferFailure {
    /// Creates the failure of a system call: `Could not read PATH.` becomes `Could not read PATH: Permission denied.`
    package init(_ code: FailureCode, _ sentence: String, error: SystemError) {
        self.init(code, sentence.dropLast() + ": \(error.text).", origin: error.origin)
    }
}

extension SystemError {
    /// The origin of a failure with this error.
    package var origin: TransferFailure.Origin { .system(Int(number)) }
}

/// Returns the result of a call that returns -1 and sets `errno` on error. Repeats an interrupted call.
@discardableResult
func checked<Number: SignedInteger>(_ call: () -> Number) throws(SystemError) -> Number {
    while true {
        let result = call()
        if result >= 0 { return result }
        if errno != EINTR { throw SystemError(errno) }
    }
}

/// Returns the result of a function of `CPlatform`, which returns a value or a negative `errno`.
@discardableResult
func value(_ result: Int32) throws(SystemError) -> Int32 {
    guard result >= 0 else { throw SystemError(-result) }
    return result
}
