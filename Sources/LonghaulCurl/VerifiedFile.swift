import CLinux
import Glibc
import LonghaulCore

/// A complete file that has the length and the digests it must have, still open.
final class VerifiedFile {
    /// The partial file's, whether or not there is one.
    let path: String
    /// Whether it is the partial file; it has no name at all otherwise.
    let isNamed: Bool
    let descriptor: Int32
    let identity: DigestMemory.Identity
    let linkCount: Int

    /// Looks at a file that was written before.
    ///
    /// - Parameter mode: What its permissions become.
    init(plan: PlacePlan, memory: DigestMemory, mode: mode_t, isWanted: () -> Bool) throws(TransferFailure) {
        path = plan.partialPath
        isNamed = true
        descriptor = open(plan.partialPath, O_RDONLY | O_NOFOLLOW | O_CLOEXEC)
        guard descriptor >= 0 else {
            if isLackOfDescriptors(errno) { throw tooManyOpenFiles(errno) }
            throw TransferFailure(
                .fileFailed, "\(plan.partialPath) cannot be opened: \(systemText(errno)). Start the download again.",
                origin: .system(Int(errno)))
        }
        var status = stat()
        guard fstat(descriptor, &status) == 0, status.st_mode & S_IFMT == S_IFREG else {
            close(descriptor)
            throw TransferFailure(.fileFailed, "\(plan.partialPath) is not a regular file. Start the download again.")
        }
        identity = DigestMemory.Identity(status)
        linkCount = Int(status.st_nlink)
        try checkThatNobodyWrote(memory)
        try plan.checkLength(identity.length)
        try checkDigests(plan, memory: memory, isWanted: isWanted)
        guard fchmod(descriptor, mode) == 0 else { throw destinationFailure(errno, path: path) }
    }

    /// Writes a body that was held.
    init(writing body: HeldBody, plan: PlacePlan, mode: mode_t) throws(TransferFailure) {
        path = plan.partialPath
        try plan.checkLength(Int64(body.bytes.count))
        if !plan.digests.isEmpty {
            guard let digest = StreamDigest(Set(plan.digests.map(\.algorithm))) else { throw systemFailure(ENOMEM) }
            digest.update(body.bytes)
            try plan.checkDigests(digest.finish())
        }
        (descriptor, isNamed) = try body.write(for: plan, mode: mode)
        var status = stat()
        guard fstat(descriptor, &status) == 0 else {
            let code = errno
            close(descriptor)
            throw destinationFailure(code, path: path)
        }
        identity = DigestMemory.Identity(status)
        linkCount = Int(status.st_nlink)
    }

    deinit { close(descriptor) }

    /// Gives it one more name, if that is free. 0, or the error number.
    func addName(_ target: String) -> Int32 {
        if !isNamed { return -longhaul_name_file(descriptor, target) }
        return link(path, target) == 0 ? 0 : errno
    }

    /// Since the file was left. One that has another name was placed before, and may be written to there. One of another length
    /// may have been gone on with by another process, which had the session meanwhile.
    private func checkThatNobodyWrote(_ memory: DigestMemory) throws(TransferFailure) {
        guard linkCount == 1, longhaul_tells_each_change(descriptor) != 0, let left = memory.identity(path: path),
            left.length == identity.length, left != identity
        else { return }
        // Its bytes are nobody's. A file that was put in its place is somebody's.
        if left.inode == identity.inode, left.device == identity.device, truncate(path, 0) == 0 {
            memory.forget(path: path)
        }
        throw foreignChange(path)
    }

    private func checkDigests(_ plan: PlacePlan, memory: DigestMemory, isWanted: () -> Bool) throws(TransferFailure) {
        guard !plan.digests.isEmpty else { return }
        var known = memory.recall(path: path, identity: identity)
        let missing = Set(plan.digests.map(\.algorithm)).subtracting(known.map(\.algorithm))
        if !missing.isEmpty { known += try digestFile(descriptor, path: path, missing, isWanted: isWanted) }
        try plan.checkDigests(known)
    }
}

extension PlacePlan {
    fileprivate func checkLength(_ found: Int64) throws(TransferFailure) {
        guard let length, length != found else { return }
        throw TransferFailure(
            .lengthMismatch, "\(fileName) has \(found) bytes and must have \(length). Download it again.")
    }

    fileprivate func checkDigests(_ known: [Digest]) throws(TransferFailure) {
        for wanted in digests where !known.contains(wanted) {
            let found = known.first { $0.algorithm == wanted.algorithm }?.hexText ?? "none"
            throw TransferFailure(
                .digestMismatch,
                "\(fileName) does not have the digest it must have, \(wanted.hexText), but \(found). Download it again."
            )
        }
    }
}

/// Reads a whole file for its digests.
private func digestFile(
    _ descriptor: Int32, path: String, _ algorithms: Set<Digest.Algorithm>, isWanted: () -> Bool
) throws(TransferFailure) -> [Digest] {
    guard let digest = StreamDigest(algorithms) else { throw systemFailure(ENOMEM) }
    let buffer = UnsafeMutableRawBufferPointer.allocate(byteCount: 1 << 20, alignment: 4_096)
    defer { buffer.deallocate() }
    _ = posix_fadvise(descriptor, 0, 0, POSIX_FADV_SEQUENTIAL)
    var position: Int64 = 0
    while isWanted() {
        do throws(SystemError) {
            let count = try retrying { pread(descriptor, buffer.baseAddress, buffer.count, off_t(position)) }
            if count == 0 { return digest.finish() }
            digest.update(UnsafeRawBufferPointer(rebasing: buffer.prefix(count)))
            position += Int64(count)
        } catch {
            throw destinationFailure(error.number, path: path)
        }
    }
    throw TransferFailure(.interrupted, "Checking \(path) was stopped before its end.")
}
