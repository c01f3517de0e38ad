import LonghaulCore
import LonghaulSystem

/// Makes a partial file that is a copy of what another program left. That file is only read: whatever becomes of the download, it
/// stays as it is until the whole takes its place.
struct ForeignCopy: Sendable {
    let source: SourceFile
    let path: String
    let directory: String
    let mountPoint: String?

    /// The events of the job. `isWanted` is asked now and then.
    func perform(isWanted: () -> Bool) -> [EngineEvent] {
        do throws(TransferFailure) {
            // It says as well whether files can be made in the directory.
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
        KnownPartials.note(path)
        let partial = try receiving(path) { () throws(SystemError) in
            // What has the name may have another one as well, and be somebody's file.
            if Files.isTaken(path) { try Files.remove(path) }
            return try Descriptor(opening: path, [.writing, .new, .noLink])
        }
        do throws(TransferFailure) {
            try fill(partial, from: old, isWanted)
        } catch {
            // Nobody goes on with a part of a copy.
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

    /// Fails when somebody has written to the file since it was to be gone on with.
    private func check(_ file: Descriptor) throws(TransferFailure) {
        let status = try sending(source.path) { () throws(SystemError) in try file.status() }
        guard status.kind == .regular, SourcePin(status) == source.pin else { throw changed }
    }

    private var changed: TransferFailure {
        TransferFailure(
            .sourceChanged,
            "\(source.path) changed after Longhaul was to resume it. Another program may still be writing to it. End that program, then try again."
        )
    }
}
