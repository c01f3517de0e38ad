import LonghaulCore
import LonghaulSystem

/// Moves complete files into place, several at once, so that they share the waits for the disk.
final class Placement: Sendable {
    private let memory: DigestMemory
    private let placing: PlacingTickets
    private let creationMask: UInt32

    init(memory: DigestMemory, placing: PlacingTickets) {
        self.memory = memory
        self.placing = placing
        creationMask = ThisProcess.creationMask
    }

    /// Performs all jobs, and returns their events in any order.
    func perform(_ jobs: [PlaceJob]) -> [(Ticket, EngineEvent)] {
        // Opened before any file gets its name: a lack of descriptors after that would fail files that are complete.
        let directories = Dictionary(
            uniqueKeysWithValues: Set(jobs.map(\.plan.directory)).map { path in
                (path, Result { () throws(SystemError) in try Directory.opened(path) })
            })
        var files = jobs.map { job in
            openingFailure(of: directories[job.plan.directory], job).map { .failure($0) } ?? check(job)
        }
        syncContents(of: &files)
        let paths = zip(jobs, files).map { job, checked in checked.flatMap { place($0, job) } }
        let errors = syncNames(jobs, files, directories)
        return zip(zip(jobs, files), paths).compactMap { item, path in
            let (job, file) = item
            placing.end(job.ticket)
            // The engine is shutting down, which is not reported as a failure of the file.
            if placing.isClosed, case .failure(let failure) = path, failure.code == .interrupted { return nil }
            let error = errors[job.plan.directory]
            let placed = path.flatMap { path in
                error.map { .failure(destinationFailure($0, path: job.plan.directory)) }
                    ?? file.map { PlacedFile($0, path: path) }
            }
            return (job.ticket, .placed(placed))
        }
    }

    /// Checks the pieces of a file for this job.
    func verify(at check: PieceCheck, for ticket: Ticket) -> Result<PieceReport, TransferFailure> {
        defer { placing.end(ticket) }
        return Result { () throws(TransferFailure) in
            try PieceVerifier(check) { [placing] in placing.isWanted(ticket) }.report()
        }
    }

    /// Copies another program's file for this job.
    func copy(_ copy: ForeignCopy, for ticket: Ticket) -> [EngineEvent] {
        defer { placing.end(ticket) }
        return copy.perform { [placing] in placing.isWanted(ticket) }
    }

    private typealias OpenedDirectory = Result<Directory.Opened, SystemError>

    /// Returns the failure of a job whose directory cannot be opened now. Other errors concern the file as well, which reports them.
    private func openingFailure(of directory: OpenedDirectory?, _ job: PlaceJob) -> TransferFailure? {
        guard case .failure(let error) = directory, error.isLackOfDescriptors, !Files.canSyncFileSystems else {
            return nil
        }
        return destinationFailure(error, path: job.plan.directory)
    }

    /// Syncs a directory. Without a descriptor for it, an open file syncs their whole file system.
    private func sync(_ directory: OpenedDirectory, with file: VerifiedFile?) throws(SystemError) -> SystemError? {
        if case .failure(let error) = directory, error.isLackOfDescriptors, let file {
            return try file.descriptor.syncFileSystem()
        }
        return try directory.get().sync()
    }

    private func place(_ file: VerifiedFile, _ job: PlaceJob) -> Result<String, TransferFailure> {
        FileNaming(file: file, plan: job.plan) { [placing] in placing.isWanted(job.ticket) }.place()
    }

    private func check(_ job: PlaceJob) -> Result<VerifiedFile, TransferFailure> {
        let mask = job.plan.creationMask.map { UInt32(truncatingIfNeeded: $0) } ?? creationMask
        let inherited = Directory.defaultPermissions(in: job.plan.directory)
        // As open(2): a default access control list replaces the umask.
        let mode = 0o666 & (inherited ?? ~mask)
        var job = job
        // The permissions that new files get here by default need not be set.
        if inherited != nil || mask == creationMask { job.plan.creationMask = nil }
        return Result { () throws(TransferFailure) in
            if let body = job.body { return try VerifiedFile(writing: body, plan: job.plan, mode: mode) }
            return try VerifiedFile(plan: job.plan, memory: memory, mode: mode) { placing.isWanted(job.ticket) }
        }
    }

    private func syncContents(of files: inout [Result<VerifiedFile, TransferFailure>]) {
        var syncs = FileSyncs(of: files.count)
        for index in files.indices {
            guard case .success(let file) = files[index] else { continue }
            if let error = syncs.sync(file) { files[index] = .failure(destinationFailure(error, path: file.path)) }
        }
    }

    /// Syncs the directories, and each file that had no name before, because it counted as deleted (its link count was
    /// 0). Returns the error for each directory for which that failed.
    private func syncNames(
        _ jobs: [PlaceJob], _ files: [Result<VerifiedFile, TransferFailure>], _ directories: [String: OpenedDirectory]
    ) -> [String: SystemError] {
        var errors: [String: SystemError] = [:]
        var syncs = FileSyncs(of: files.count)
        for (job, checked) in zip(jobs, files) {
            guard case .success(let file) = checked, !file.isNamed else { continue }
            if let error = syncs.sync(file) { errors[job.plan.directory] = error }
        }
        for (directory, opened) in directories where errors[directory] == nil {
            do throws(SystemError) {
                let inDirectory = zip(jobs, files).filter { $0.0.plan.directory == directory }.compactMap {
                    try? $0.1.get()
                }
                guard let refused = try sync(opened, with: inDirectory.first) else { continue }
                for file in inDirectory { file.recordRefusal(refused, of: "sync of the directory") }
            } catch {
                errors[directory] = error
            }
        }
        return errors
    }
}

/// Syncs several files: each file, or each file system once as a whole.
private struct FileSyncs {
    /// From this number of files on, one sync of the file system costs less than one for each file.
    private static let manyFiles = 8
    let together: Bool
    private var results: [UInt64: Result<SystemError?, SystemError>] = [:]

    init(of count: Int) {
        together = count >= Self.manyFiles && Files.canSyncFileSystems
    }

    /// Returns the error if the sync failed. An unsupported operation is recorded, and is not a failure.
    mutating func sync(_ file: VerifiedFile) -> SystemError? {
        switch result(for: file) {
        case .success(let refused):
            file.recordRefusal(refused, of: VerifiedFile.sync)
            return nil
        case .failure(let error): return error
        }
    }

    private mutating func result(for file: VerifiedFile) -> Result<SystemError?, SystemError> {
        guard together else { return Result { () throws(SystemError) in try file.descriptor.sync() } }
        if let known = results[file.identity.device] { return known }
        let result = Result { () throws(SystemError) in try file.descriptor.syncFileSystem() }
        results[file.identity.device] = result
        return result
    }
}

extension PlacedFile {
    fileprivate init(_ file: VerifiedFile, path: String) {
        self.init(path: path, leavesPartialFile: file.isNamed || file.hasClaim)
        guard !file.refusals.isEmpty else { return }
        refusals = file.refusals.map { "\($0.what) (\($0.error.text))" }.joined(separator: ", ")
    }
}
