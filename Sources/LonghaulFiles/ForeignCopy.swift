import LonghaulCore
import LonghaulSystem

/// A job that copies another program's incomplete download to a partial file. The original is only read: it stays
/// unchanged until the complete file replaces it.
struct ForeignCopy: Sendable {
    let source: SourceFile
    let path: String
    let directory: String
    let mountPoint: String?

    /// Performs the job and returns its events. Polls `isWanted`.
    func perform(isWanted: () -> Bool) -> [EngineEvent] {
        do throws(TransferFailure) {
            // Also reports whether files can be created in the directory.
            let measured = measurePartialFile(path: path, directory: directory, mountPoint: mountPoint)
            if case .partialMeasured(.failure(let failure))? = measured.last { throw failure }
            try copy(isWanted)
            return [.checkpoint(source.pin.size), .partialMeasured(.success(source.pin.size))]
        } catch {
            return [.partialMeasured(.failure(error))]
        }
    }

    private func copy(_ isWanted: () -> Bool) throws(TransferFailure) {
        let old = try sending(source.path) { () throws(SystemError) in
            try Descriptor(opening: source.path, [.reading, .atOnce])
        }
        try check(old)
        KnownPartials.add(path)
        let partial = try receiving(path) { () throws(SystemError) in
            // An existing file of this name may have another hard link, and may belong to another program.
            if Files.isTaken(path) { try Files.remove(path) }
            return try Descriptor(opening: path, [.writing, .new, .noLink])
        }
        do throws(TransferFailure) {
            try fill(partial, from: old, isWanted)
        } catch {
            // A partial copy is never resumed.
            Files.discard(path)
            throw error
        }
    }

    private func fill(
        _ partial: Descriptor, from old: Descriptor, _ isWanted: () -> Bool
    ) throws(TransferFailure) {
        let count = try copyContent(of: old, upTo: source.pin.size, to: partial, path: path, isWanted: isWanted)
        guard isWanted() else {
            throw TransferFailure(.interrupted, "Copying \(source.path) was interrupted.")
        }
        guard count == source.pin.size else { throw changed }
        try receiving(path) { () throws(SystemError) in
            try partial.sync()
            try Directory.sync(directory)
        }
        try check(old)
    }

    /// Fails if the file was written to since it was submitted.
    private func check(_ file: Descriptor) throws(TransferFailure) {
        let status = try sending(source.path) { () throws(SystemError) in try file.status() }
        guard status.kind == .regular, source.isPinned(as: SourcePin(status)) else { throw changed }
    }

    private var changed: TransferFailure {
        TransferFailure(
            .sourceChanged,
            "\(source.path) changed after Longhaul was to resume it. Another program may still be writing to it. End that program, then try again."
        )
    }
}
