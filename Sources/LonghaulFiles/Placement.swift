import LonghaulCore
import LonghaulSystem

/// Gives complete files their names: several at once, so that they share the waits for the disk.
final class Placement: Sendable {
    /// From this many files on, one sync of the file system costs less than one for each file.
    private static let manyFiles = 8
    private let memory: DigestMemory
    private let placing: PlacingTickets
    private let creationMask: UInt32

    init(memory: DigestMemory, placing: PlacingTickets) {
        self.memory = memory
        self.placing = placing
        creationMask = ThisProcess.creationMask
    }

    /// Does all of them, and answers in any order.
    func perform(_ jobs: [PlaceJob]) -> [(Ticket, EngineEvent)] {
        var files = jobs.map(check)
        syncContents(of: &files)
        let placed = zip(jobs, files).map { job, checked in checked.flatMap { place($0, job.plan) } }
        let errors = syncNames(jobs, files)
        return zip(jobs, placed).compactMap { job, file in
            placing.end(job.ticket)
            // The engine ends, and whoever asked does not learn that as the file's failure.
            if placing.isClosed, case .failure(let failure) = file, failure.code == .interrupted { return nil }
            let synced = file.flatMap { file in
                let error = errors[job.plan.directory]
                return error.map { .failure(destinationFailure($0, path: job.plan.directory)) } ?? .success(file)
            }
            return (job.ticket, .placed(synced))
        }
    }

    /// Looks at the pieces of a file for this job.
    func look(at check: PieceCheck, for ticket: Ticket) -> Result<PieceReport, TransferFailure> {
        defer { placing.end(ticket) }
        return Result { () throws(TransferFailure) in
            try PieceLook(check) { [placing] in placing.isWanted(ticket) }.report()
        }
    }

    /// Copies what another program left for this job.
    func copy(_ copy: ForeignCopy, for ticket: Ticket) -> [EngineEvent] {
        defer { placing.end(ticket) }
        return copy.perform { [placing] in placing.isWanted(ticket) }
    }

    private func place(_ file: VerifiedFile, _ plan: PlacePlan) -> Result<PlacedFile, TransferFailure> {
        placeFile(file, plan: plan).map { PlacedFile(path: $0, leavesPartialFile: file.isNamed) }
    }

    private func check(_ job: PlaceJob) -> Result<VerifiedFile, TransferFailure> {
        let mask = job.plan.creationMask.map { UInt32(truncatingIfNeeded: $0) } ?? creationMask
        let mode = 0o666 & ~mask
        var job = job
        // What new files get here anyway need not be given.
        if mask == creationMask { job.plan.creationMask = nil }
        return Result { () throws(TransferFailure) in
            if let body = job.body {
                return dated(try VerifiedFile(writing: body, plan: job.plan, mode: mode), job.plan)
            }
            return dated(
                try VerifiedFile(plan: job.plan, memory: memory, mode: mode) { placing.isWanted(job.ticket) }, job.plan)
        }
    }

    /// A file system that keeps no such date is no reason to lose the file.
    private func dated(_ file: VerifiedFile, _ plan: PlacePlan) -> VerifiedFile {
        if let date = plan.modified { try? file.descriptor.setModified(date) }
        return file
    }

    private func syncContents(of files: inout [Result<VerifiedFile, TransferFailure>]) {
        var syncs = FileSyncs(together: files.count >= Self.manyFiles)
        for index in files.indices {
            guard case .success(let file) = files[index] else { continue }
            if let error = syncs.sync(file) { files[index] = .failure(destinationFailure(error, path: file.path)) }
        }
    }

    /// What holds the names: each directory, and each file that had none before, since it was counted among the deleted ones
    /// (its count of links was 0). The error for each directory for which that failed.
    private func syncNames(_ jobs: [PlaceJob], _ files: [Result<VerifiedFile, TransferFailure>]) -> [String:
        SystemError]
    {
        var errors: [String: SystemError] = [:]
        var syncs = FileSyncs(together: files.count >= Self.manyFiles)
        for (job, checked) in zip(jobs, files) {
            guard case .success(let file) = checked, !file.isNamed else { continue }
            if let error = syncs.sync(file) { errors[job.plan.directory] = error }
        }
        for directory in Set(jobs.map(\.plan.directory)) where errors[directory] == nil {
            errors[directory] = failure { () throws(SystemError) in try Directory.sync(directory) }
        }
        return errors
    }
}

/// Syncs of several files: of each, or together, of each file system once as a whole.
private struct FileSyncs {
    let together: Bool
    private var errors: [UInt64: SystemError?] = [:]

    init(together: Bool) {
        self.together = together
    }

    /// Why that failed.
    mutating func sync(_ file: VerifiedFile) -> SystemError? {
        guard together else { return failure { () throws(SystemError) in try file.descriptor.sync() } }
        if let error = errors[file.identity.device] { return error }
        let error = failure { () throws(SystemError) in try file.descriptor.syncFileSystem() }
        errors[file.identity.device] = .some(error)
        return error
    }
}

private func failure(_ body: () throws(SystemError) -> Void) -> SystemError? {
    do throws(SystemError) {
        try body()
        return nil
    } catch {
        return error
    }
}
