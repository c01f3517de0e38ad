import LonghaulCore
import LonghaulSystem

/// A complete file with the required length and digests, still open.
final class VerifiedFile {
    /// The path of the partial file, even if there is none.
    let path: String
    /// Whether it is the partial file; otherwise it is unnamed.
    let isNamed: Bool
    let descriptor: Descriptor
    let identity: DigestMemory.Identity
    let linkCount: Int
    /// Whether a hidden file records the name that it takes (`NameClaim`).
    var hasClaim = false
    /// The operations that its file system does not support.
    private(set) var refusals: [(what: String, error: SystemError)] = []
    private let mode: UInt32
    private let modified: WallTime?

    /// Checks a file that was written before.
    ///
    /// - Parameter mode: The permissions that it gets.
    init(plan: PlacePlan, memory: DigestMemory, mode: UInt32, isWanted: () -> Bool) throws(TransferFailure) {
        path = plan.partialPath
        isNamed = true
        self.mode = mode
        modified = plan.modified
        let status: FileStatus
        do throws(SystemError) {
            descriptor = try Descriptor(opening: plan.partialPath, [.reading, .noLink])
            status = try descriptor.status()
        } catch {
            if error.isLackOfDescriptors { throw tooManyOpenFiles(error) }
            throw TransferFailure(
                .fileFailed, "Could not open \(plan.partialPath): \(error.text). Restart the download.",
                origin: error.origin)
        }
        guard status.kind == .regular else {
            throw TransferFailure(.fileFailed, "\(plan.partialPath) is not a regular file. Restart the download.")
        }
        identity = DigestMemory.Identity(status)
        linkCount = status.linkCount
        try checkThatNobodyWrote(memory)
        try plan.checkLength(identity.size)
        try checkDigests(plan, memory: memory, isWanted: isWanted)
        try plan.signature?.check(descriptor, named: plan.fileName)
        setPermissions(of: descriptor)
        setModified(descriptor)
    }

    /// Writes a body that was held.
    init(writing body: HeldBody, plan: PlacePlan, mode: UInt32) throws(TransferFailure) {
        path = plan.partialPath
        self.mode = mode
        modified = plan.modified
        try plan.checkLength(Int64(body.bytes.count))
        if !plan.digests.isEmpty {
            guard let digest = StreamDigest(Set(plan.digests.map(\.algorithm))) else {
                throw systemFailure(.outOfMemory)
            }
            digest.update(body.bytes)
            try plan.checkDigests(digest.finish())
        }
        let (file, isNamed, wantsPermissions) = try body.write(for: plan, mode: mode)
        let status = try receiving(path) { () throws(SystemError) in try file.status() }
        try plan.signature?.check(file, named: plan.fileName)
        descriptor = file
        self.isNamed = isNamed
        identity = DigestMemory.Identity(status)
        linkCount = status.linkCount
        if wantsPermissions { setPermissions(of: file) }
        setModified(file)
    }

    /// Records an operation that the file system refused. The file is complete even so.
    func recordRefusal(_ refused: SystemError?, of what: String) {
        guard let refused, !refusals.contains(where: { $0.what == what }) else { return }
        refusals.append((what, refused))
    }

    /// Gives a copy the file's metadata, and syncs it.
    func prepare(_ copy: Descriptor) throws(SystemError) {
        setPermissions(of: copy)
        setModified(copy)
        recordRefusal(try copy.sync(), of: Self.sync)
    }

    static let sync = "sync"

    private func setPermissions(of file: Descriptor) {
        do throws(SystemError) {
            try file.setPermissions(mode)
        } catch {
            recordRefusal(error, of: "permissions")
        }
    }

    private func setModified(_ file: Descriptor) {
        guard let modified else { return }
        do throws(SystemError) {
            try file.setModified(modified)
        } catch {
            recordRefusal(error, of: "modification time")
        }
    }

    /// Adds a name, if that name is free.
    func addName(_ target: String) throws(SystemError) {
        try isNamed ? Files.link(path, to: target) : descriptor.takeName(target)
    }

    /// Fails if another program wrote to the file since it was closed. A file with another hard link was placed before, and may be written
    /// to there. A file of another length may have been resumed by another process that had the session meanwhile.
    private func checkThatNobodyWrote(_ memory: DigestMemory) throws(TransferFailure) {
        guard linkCount == 1, descriptor.reportsEachChange, let left = memory.identity(path: path),
            left.size == identity.size, left != identity
        else { return }
        // The bytes of our file are unreliable. A file that replaced it belongs to another program.
        if left.inode == identity.inode, left.device == identity.device, emptyAgain() {
            memory.forget(path: path)
        }
        throw foreignChange(path)
    }

    /// Empties the file; a file that cannot be opened for that stays unchanged.
    private func emptyAgain() -> Bool {
        (try? Descriptor(opening: path, [.writing, .emptied, .noLink])) != nil
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
            .lengthMismatch, "\(fileName) has \(found) bytes instead of \(length). Download it again.")
    }

    fileprivate func checkDigests(_ known: [Digest]) throws(TransferFailure) {
        for wanted in digests where !known.contains(wanted) {
            let found = known.first { $0.algorithm == wanted.algorithm }?.hexText ?? "none"
            throw TransferFailure(
                .digestMismatch,
                "\(fileName) does not match its digest: expected \(wanted.hexText), got \(found). Download it again."
            )
        }
    }
}

/// Reads a whole file for its digests.
private func digestFile(
    _ file: Descriptor, path: String, _ algorithms: Set<Digest.Algorithm>, isWanted: () -> Bool
) throws(TransferFailure) -> [Digest] {
    guard let digest = StreamDigest(algorithms) else { throw systemFailure(.outOfMemory) }
    let buffer = UnsafeMutableRawBufferPointer.allocate(byteCount: 1 << 20, alignment: 4_096)
    defer { buffer.deallocate() }
    file.willBeRead()
    var position: Int64 = 0
    while isWanted() {
        let count = try receiving(path) { () throws(SystemError) in try file.read(into: buffer, at: position) }
        if count == 0 { return digest.finish() }
        digest.update(UnsafeRawBufferPointer(rebasing: buffer.prefix(count)))
        position += Int64(count)
    }
    throw TransferFailure(.interrupted, "Verifying \(path) was interrupted.")
}
