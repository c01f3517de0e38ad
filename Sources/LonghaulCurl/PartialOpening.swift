import Glibc
import LonghaulCore

/// Opens a partial file so that its next byte is `start`: an empty new one for 0, else one that holds at least that much.
///
/// A file that has a second name was placed already: its bytes belong to the finished file and are not touched.
func openPartialFile(path: String, start: Int64) throws(TransferFailure) -> Int32 {
    KnownPartials.note(path)
    let flags = O_RDWR | O_NOFOLLOW | O_CLOEXEC | (start == 0 ? O_CREAT : 0)
    var descriptor = open(path, flags, 0o600)
    guard descriptor >= 0 else { throw destinationFailure(errno, path: path) }
    do throws(TransferFailure) {
        if try isOnlyNameOfOurFile(descriptor, path: path) == false {
            guard start == 0 else { throw shared(path) }
            close(descriptor)
            descriptor = -1
            guard unlink(path) == 0 else { throw destinationFailure(errno, path: path) }
            descriptor = open(path, flags | O_EXCL, 0o600)
            guard descriptor >= 0 else { throw destinationFailure(errno, path: path) }
        }
        try cut(descriptor, to: start, path: path)
        return descriptor
    } catch {
        if descriptor >= 0 { close(descriptor) }
        throw error
    }
}

/// Cuts off what lies beyond `length`: nobody vouches for it.
private func cut(_ descriptor: Int32, to length: Int64, path: String) throws(TransferFailure) {
    var status = stat()
    guard fstat(descriptor, &status) == 0 else { throw destinationFailure(errno, path: path) }
    guard status.st_size >= length else {
        throw TransferFailure(
            .fileFailed, "\(path) holds \(status.st_size) bytes and not the \(length) to go on from. Start it again.")
    }
    guard status.st_size == length || ftruncate(descriptor, off_t(length)) == 0 else {
        throw destinationFailure(errno, path: path)
    }
}

private func isOnlyNameOfOurFile(_ descriptor: Int32, path: String) throws(TransferFailure) -> Bool {
    var status = stat()
    guard fstat(descriptor, &status) == 0 else { throw destinationFailure(errno, path: path) }
    guard status.st_mode & S_IFMT == S_IFREG, status.st_uid == geteuid() else {
        throw TransferFailure(
            .destinationUnwritable, "\(path) is in the way: it is not a regular file of this user. Remove it.")
    }
    return status.st_nlink == 1
}

private func shared(_ path: String) -> TransferFailure {
    TransferFailure(.fileFailed, "\(path) has a second name, so it cannot be written on. Remove it.")
}
