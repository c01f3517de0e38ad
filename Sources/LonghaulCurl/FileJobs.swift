import Glibc
import LonghaulCore

/// Looks at a file that is to be uploaded.
func inspectSource(_ path: String) -> Result<SourcePin, TransferFailure> {
    var status = stat()
    guard stat(path, &status) == 0 else { return .failure(sourceFailure(errno, path: path)) }
    guard status.st_mode & S_IFMT == S_IFREG else {
        return .failure(TransferFailure(.sourceUnreadable, "\(path) is not a regular file. Choose a file to upload."))
    }
    guard faccessat(AT_FDCWD, path, R_OK, AT_EACCESS) == 0 else { return .failure(sourceFailure(errno, path: path)) }
    return .success(SourcePin(status))
}

/// Asks how long a partial file is, after making sure that its directory will take the finished one.
func measurePartialFile(path: String, directory: String) -> Result<Int64?, TransferFailure> {
    var status = stat()
    guard stat(directory, &status) == 0 else { return .failure(destinationFailure(errno, path: directory)) }
    guard status.st_mode & S_IFMT == S_IFDIR else { return .failure(destinationFailure(ENOTDIR, path: directory)) }
    guard faccessat(AT_FDCWD, directory, W_OK | X_OK, AT_EACCESS) == 0 else {
        return .failure(destinationFailure(errno, path: directory))
    }
    guard lstat(path, &status) == 0 else {
        return errno == ENOENT ? .success(nil) : .failure(destinationFailure(errno, path: path))
    }
    guard status.st_mode & S_IFMT == S_IFREG, status.st_uid == geteuid() else {
        return .failure(
            TransferFailure(
                .destinationUnwritable, "\(path) is in the way: it is not a regular file of this user. Remove it."))
    }
    return .success(Int64(status.st_size))
}

/// Deletes files; those that are not there are fine. Every one is tried; the first failure is the answer.
func discardFiles(_ paths: [String]) -> Result<Void, TransferFailure> {
    var failure: TransferFailure?
    for path in paths {
        if unlink(path) == 0 || errno == ENOENT {
            KnownPartials.forget(path)
        } else if failure == nil {
            failure = destinationFailure(errno, path: path)
        }
    }
    return failure.map { .failure($0) } ?? .success(())
}

/// Brings a partial file to stable storage. `length` was written before: only that much is vouched for.
func syncCheckpoint(of file: PartialTarget, length: Int64) -> Result<Int64, TransferFailure> {
    guard fdatasync(file.descriptor) == 0 else { return .failure(destinationFailure(errno, path: file.path)) }
    // The file's name must be there too after a power loss, or its bytes cannot be found.
    let code = syncDirectory(directoryOf(file.path))
    return code == 0 ? .success(length) : .failure(destinationFailure(code, path: file.path))
}

/// Brings a directory's names to stable storage. 0, or the error number.
func syncDirectory(_ path: String) -> Int32 {
    let descriptor = open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC)
    guard descriptor >= 0 else { return errno }
    defer { close(descriptor) }
    // Some network file systems cannot sync a directory and say EINVAL: there it is not needed.
    return fsync(descriptor) == 0 || errno == EINVAL ? 0 : errno
}

func directoryOf(_ path: String) -> String {
    guard let slash = path.lastIndex(of: "/") else { return "." }
    return slash == path.startIndex ? "/" : String(path[..<slash])
}
