import CLinux
import Glibc
import LonghaulCore

/// Gives complete partial files their names: several at once, so that they share the waits for the disk.
final class Placement: Sendable {
    /// From this many files on, one sync of the file system costs less than one for each file.
    private static let manyFiles = 8
    private let memory: DigestMemory
    private let placing: PlacingTickets
    private let creationMask: mode_t

    init(memory: DigestMemory, placing: PlacingTickets) {
        self.memory = memory
        self.placing = placing
        creationMask = currentCreationMask()
    }

    func perform(_ plans: [(Ticket, PlacePlan)]) -> [(Ticket, EngineEvent)] {
        var answers = plans.map { ticket, plan in (ticket, plan, check(plan, ticket: ticket)) }
        sync(&answers)
        let names = answers.map { _, plan, checked in checked.flatMap { file in placeFile(file, plan: plan) } }
        let codes = syncDirectories(of: plans.map(\.1))
        return zip(plans, names).compactMap { item, name in
            placing.end(item.0)
            // The engine ends, and whoever asked does not learn that as the file's failure.
            if placing.isClosed, case .failure(let failure) = name, failure.code == .interrupted { return nil }
            let synced = name.flatMap { path in
                let code = codes[item.1.directory] ?? 0
                return code == 0 ? .success(path) : .failure(destinationFailure(code, path: item.1.directory))
            }
            return (item.0, .placed(synced))
        }
    }

    private func check(_ plan: PlacePlan, ticket: Ticket) -> Result<VerifiedFile, TransferFailure> {
        Result { () throws(TransferFailure) in
            let file = try VerifiedFile(plan: plan, memory: memory) { placing.isWanted(ticket) }
            guard fchmod(file.descriptor, 0o666 & ~creationMask) == 0 else {
                throw destinationFailure(errno, path: plan.partialPath)
            }
            return file
        }
    }

    private func sync(_ answers: inout [(Ticket, PlacePlan, Result<VerifiedFile, TransferFailure>)]) {
        var syncedDevices: [UInt64: Int32] = [:]
        for index in answers.indices {
            guard case .success(let file) = answers[index].2 else { continue }
            let code: Int32
            if answers.count < Self.manyFiles {
                code = fsync(file.descriptor) == 0 ? 0 : errno
            } else if let done = syncedDevices[file.identity.device] {
                code = done
            } else {
                code = -longhaul_sync_file_system(file.descriptor)
                syncedDevices[file.identity.device] = code
            }
            if code != 0 { answers[index].2 = .failure(destinationFailure(code, path: file.path)) }
        }
    }

    private func syncDirectories(of plans: [PlacePlan]) -> [String: Int32] {
        var codes: [String: Int32] = [:]
        for plan in plans where codes[plan.directory] == nil { codes[plan.directory] = syncDirectory(plan.directory) }
        return codes
    }
}

/// A partial file that has the length and the digests it must have, still open.
final class VerifiedFile {
    let path: String
    let descriptor: Int32
    let identity: DigestMemory.Identity
    let linkCount: Int

    init(plan: PlacePlan, memory: DigestMemory, isWanted: () -> Bool) throws(TransferFailure) {
        path = plan.partialPath
        descriptor = open(plan.partialPath, O_RDONLY | O_NOFOLLOW | O_CLOEXEC)
        guard descriptor >= 0 else {
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
        try checkLength(plan)
        try checkDigests(plan, memory: memory, isWanted: isWanted)
    }

    deinit { close(descriptor) }

    private func checkLength(_ plan: PlacePlan) throws(TransferFailure) {
        guard let length = plan.length, length != identity.length else { return }
        throw TransferFailure(
            .lengthMismatch, "\(plan.fileName) has \(identity.length) bytes and must have \(length). Download it again."
        )
    }

    private func checkDigests(_ plan: PlacePlan, memory: DigestMemory, isWanted: () -> Bool) throws(TransferFailure) {
        guard !plan.digests.isEmpty else { return }
        var known = memory.recall(path: path, identity: identity)
        let missing = Set(plan.digests.map(\.algorithm)).subtracting(known.map(\.algorithm))
        if !missing.isEmpty { known += try digestFile(descriptor, path: path, missing, isWanted: isWanted) }
        guard plan.digests.allSatisfy(known.contains) else {
            throw TransferFailure(
                .digestMismatch, "\(plan.fileName) does not have the digest it must have. Download it again.")
        }
    }
}

/// Reads a whole file for its digests.
func digestFile(
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

/// The process's file creation mask. Asking `umask` would change it for a moment, for every thread.
private func currentCreationMask() -> mode_t {
    guard let file = fopen("/proc/self/status", "re") else { return 0o022 }
    defer { fclose(file) }
    var line = [CChar](repeating: 0, count: 256)
    while fgets(&line, Int32(line.count), file) != nil {
        let text = String(decoding: line.prefix { $0 != 0 }.map { UInt8(bitPattern: $0) }, as: UTF8.self)
        guard text.hasPrefix("Umask:") else { continue }
        return mode_t(text.dropFirst(6).filter { $0.isNumber }, radix: 8) ?? 0o022
    }
    return 0o022
}
