import CLinux
import Glibc
import LonghaulCore

extension HeldBody {
    /// Without `/proc` only privileged processes may name a file that has no name.
    private static let mayNameLater = access("/proc/self/fd", X_OK) == 0

    /// Makes a file of the body, with what its permissions are to be, and returns it open: one that has no name until it is
    /// placed, and leaves nothing behind if it never is. Where that is not possible, or a partial file is there already, it
    /// is the partial file.
    func write(for plan: PlacePlan, mode: mode_t) throws(TransferFailure) -> (descriptor: Int32, isNamed: Bool) {
        if let descriptor = try writeUnnamed(plan, mode) { return (descriptor, false) }
        return (try write(path: plan.partialPath, mode: mode), true)
    }

    private func writeUnnamed(_ plan: PlacePlan, _ mode: mode_t) throws(TransferFailure) -> Int32? {
        guard Self.mayNameLater, hasNoPartialFile(plan) else { return nil }
        let descriptor = longhaul_open_unnamed(plan.directory, mode)
        guard descriptor >= 0 else { return nil }
        guard PlacedMark.put(plan.id, on: descriptor) else {
            close(descriptor)
            return nil
        }
        do throws(SystemError) {
            try writeAll(to: descriptor)
            return descriptor
        } catch {
            close(descriptor)
            throw destinationFailure(error.number, path: plan.partialPath)
        }
    }

    private func hasNoPartialFile(_ plan: PlacePlan) -> Bool {
        if plan.isOwn, !KnownPartials.mayInclude(plan.partialPath) { return true }
        return faccessat(AT_FDCWD, plan.partialPath, F_OK, AT_SYMLINK_NOFOLLOW) != 0 && errno == ENOENT
    }

    private func writeAll(to descriptor: Int32) throws(SystemError) {
        var written = 0
        while written < bytes.count {
            let rest = UnsafeRawBufferPointer(rebasing: bytes.dropFirst(written))
            written += try retrying { pwrite(descriptor, rest.baseAddress, rest.count, off_t(written)) }
        }
    }

    /// Makes the partial file of the body.
    ///
    /// A file of this name that is the same, byte for byte, and has a second name was placed before a crash that left no
    /// record of it: it is taken as it is, so that it does not get another name. Any other is replaced.
    private func write(path: String, mode: mode_t) throws(TransferFailure) -> Int32 {
        // It may be read by others from the start: it is complete, and as soon as it has its name they may.
        KnownPartials.note(path)
        var descriptor = open(path, O_RDWR | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, mode)
        let isNew = descriptor >= 0
        if !isNew {
            guard errno == EEXIST else { throw destinationFailure(errno, path: path) }
            if let placed = openIfPlaced(path, bytes) { return placed }
            descriptor = try openPartialFile(path: path, start: 0)
        }
        do throws(SystemError) {
            try writeAll(to: descriptor)
            if !isNew { _ = try retrying { Int(fchmod(descriptor, mode)) } }
            return descriptor
        } catch {
            close(descriptor)
            throw destinationFailure(error.number, path: path)
        }
    }
}

/// Opens a partial file that has a second name and holds just these bytes; `nil` when there is no such file.
func openIfPlaced(_ path: String, _ bytes: UnsafeRawBufferPointer) -> Int32? {
    let descriptor = open(path, O_RDONLY | O_NOFOLLOW | O_CLOEXEC)
    guard descriptor >= 0 else { return nil }
    var status = stat()
    if fstat(descriptor, &status) == 0, status.st_mode & S_IFMT == S_IFREG, status.st_nlink > 1,
        status.st_size == bytes.count, holds(descriptor, bytes)
    {
        return descriptor
    }
    close(descriptor)
    return nil
}

/// Whether a file begins with these bytes.
func holds(_ descriptor: Int32, _ bytes: UnsafeRawBufferPointer) -> Bool {
    let found = UnsafeMutableRawBufferPointer.allocate(byteCount: bytes.count, alignment: 16)
    defer { found.deallocate() }
    return pread(descriptor, found.baseAddress, found.count, 0) == bytes.count && found.elementsEqual(bytes)
}
