import Glibc

/// Changes bytes of a file in place, and its modification time.
package func overwriteFile(_ path: String, at offset: Int64) throws {
    let descriptor = open(path, O_WRONLY | O_CLOEXEC)
    guard descriptor >= 0 else { throw Unexpected() }
    defer { close(descriptor) }
    var before = stat()
    var after = stat()
    // The clock of a file system ticks every few milliseconds.
    repeat {
        guard fstat(descriptor, &before) == 0, pwrite(descriptor, "ZZZZ", 4, off_t(offset)) == 4,
            fstat(descriptor, &after) == 0
        else { throw Unexpected() }
    } while before.st_mtim.tv_nsec == after.st_mtim.tv_nsec
}
