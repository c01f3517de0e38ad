import CLinux
import Glibc
import LonghaulCore

/// Gives complete files their names: several at once, so that they share the waits for the disk.
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

    /// Does all of them, and answers in any order.
    func perform(_ jobs: [PlaceJob]) -> [(Ticket, EngineEvent)] {
        var files = jobs.map(check)
        syncContents(of: &files)
        let placed = zip(jobs, files).map { job, checked in checked.flatMap { place($0, job.plan) } }
        let codes = syncNames(jobs, files)
        return zip(jobs, placed).compactMap { job, file in
            placing.end(job.ticket)
            // The engine ends, and whoever asked does not learn that as the file's failure.
            if placing.isClosed, case .failure(let failure) = file, failure.code == .interrupted { return nil }
            let synced = file.flatMap { file in
                let code = codes[job.plan.directory] ?? 0
                return code == 0 ? .success(file) : .failure(destinationFailure(code, path: job.plan.directory))
            }
            return (job.ticket, .placed(synced))
        }
    }

    private func place(_ file: VerifiedFile, _ plan: PlacePlan) -> Result<PlacedFile, TransferFailure> {
        placeFile(file, plan: plan).map { PlacedFile(path: $0, leavesPartialFile: file.isNamed) }
    }

    private func check(_ job: PlaceJob) -> Result<VerifiedFile, TransferFailure> {
        let mode = 0o666 & ~creationMask
        return Result { () throws(TransferFailure) in
            if let body = job.body { return try VerifiedFile(writing: body, plan: job.plan, mode: mode) }
            return try VerifiedFile(plan: job.plan, memory: memory, mode: mode) { placing.isWanted(job.ticket) }
        }
    }

    private func syncContents(of files: inout [Result<VerifiedFile, TransferFailure>]) {
        var syncs = FileSyncs(together: files.count >= Self.manyFiles)
        for index in files.indices {
            guard case .success(let file) = files[index] else { continue }
            let code = syncs.sync(file)
            if code != 0 { files[index] = .failure(destinationFailure(code, path: file.path)) }
        }
    }

    /// What holds the names: each directory, and each file that had none before, since it was counted among the deleted ones
    /// (its count of links was 0). The error number for each directory for which that failed.
    private func syncNames(_ jobs: [PlaceJob], _ files: [Result<VerifiedFile, TransferFailure>]) -> [String: Int32] {
        var codes: [String: Int32] = [:]
        var syncs = FileSyncs(together: files.count >= Self.manyFiles)
        for (job, checked) in zip(jobs, files) {
            guard case .success(let file) = checked, !file.isNamed else { continue }
            let code = syncs.sync(file)
            if code != 0 { codes[job.plan.directory] = code }
        }
        for directory in jobs.lazy.map(\.plan.directory) where codes[directory] == nil {
            codes[directory] = syncDirectory(directory)
        }
        return codes
    }
}

/// Syncs of several files: of each, or together, of each file system once as a whole.
private struct FileSyncs {
    let together: Bool
    private var codes: [UInt64: Int32] = [:]

    init(together: Bool) {
        self.together = together
    }

    /// 0, or the error number.
    mutating func sync(_ file: VerifiedFile) -> Int32 {
        guard together else { return fsync(file.descriptor) == 0 ? 0 : errno }
        if let code = codes[file.identity.device] { return code }
        let code = -longhaul_sync_file_system(file.descriptor)
        codes[file.identity.device] = code
        return code
    }
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
