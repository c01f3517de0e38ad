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

    /// Does all of them, and answers in any order.
    func perform(_ jobs: [PlaceJob]) -> [(Ticket, EngineEvent)] {
        var files = jobs.map(check)
        sync(&files)
        let names = zip(jobs, files).map { job, checked in checked.flatMap { placeFile($0, plan: job.plan) } }
        let codes = syncDirectories(of: jobs)
        return zip(jobs, names).compactMap { job, name in
            placing.end(job.ticket)
            // The engine ends, and whoever asked does not learn that as the file's failure.
            if placing.isClosed, case .failure(let failure) = name, failure.code == .interrupted { return nil }
            let synced = name.flatMap { path in
                let code = codes[job.plan.directory] ?? 0
                return code == 0 ? .success(path) : .failure(destinationFailure(code, path: job.plan.directory))
            }
            return (job.ticket, .placed(synced))
        }
    }

    private func check(_ job: PlaceJob) -> Result<VerifiedFile, TransferFailure> {
        let mode = 0o666 & ~creationMask
        return Result { () throws(TransferFailure) in
            if let body = job.body { return try VerifiedFile(writing: body, plan: job.plan, mode: mode) }
            return try VerifiedFile(plan: job.plan, memory: memory, mode: mode) { placing.isWanted(job.ticket) }
        }
    }

    private func sync(_ files: inout [Result<VerifiedFile, TransferFailure>]) {
        var syncedDevices: [UInt64: Int32] = [:]
        for index in files.indices {
            guard case .success(let file) = files[index] else { continue }
            let code: Int32
            if files.count < Self.manyFiles {
                code = fsync(file.descriptor) == 0 ? 0 : errno
            } else if let done = syncedDevices[file.identity.device] {
                code = done
            } else {
                code = -longhaul_sync_file_system(file.descriptor)
                syncedDevices[file.identity.device] = code
            }
            if code != 0 { files[index] = .failure(destinationFailure(code, path: file.path)) }
        }
    }

    private func syncDirectories(of jobs: [PlaceJob]) -> [String: Int32] {
        var codes: [String: Int32] = [:]
        for directory in jobs.lazy.map(\.plan.directory) where codes[directory] == nil {
            codes[directory] = syncDirectory(directory)
        }
        return codes
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
