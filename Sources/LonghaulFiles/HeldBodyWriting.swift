import LonghaulCore
import LonghaulSystem

extension HeldBody {
    /// Without `/proc` only privileged processes may name a file that has no name.
    private static let mayNameLater = Files.allows(.execute, "/proc/self/fd")

    /// A body in a file.
    typealias Written = (descriptor: Descriptor, isNamed: Bool, wantsPermissions: Bool)

    /// Makes a file of the body and returns it open: one that has no name until it is
    /// placed, and leaves nothing behind if it never is. If that is impossible, or a partial file exists, it
    /// is the partial file. Its permissions are `mode`, or are still to be set.
    func write(for plan: PlacePlan, mode: UInt32) throws(TransferFailure) -> Written {
        // The creation mask of this process may remove more permissions than the submitter's.
        if let descriptor = try writeUnnamed(plan, mode) { return (descriptor, false, plan.creationMask != nil) }
        let (descriptor, isNew) = try write(path: plan.partialPath, mode: mode)
        return (descriptor, true, !isNew || plan.creationMask != nil)
    }

    private func writeUnnamed(_ plan: PlacePlan, _ mode: UInt32) throws(TransferFailure) -> Descriptor? {
        // Where the file system cannot, or gives it no mark, it is written under a name.
        guard Self.mayNameLater, hasNoPartialFile(plan),
            let file = try? Descriptor.unnamed(in: plan.directory, permissions: mode), PlacedMark.put(plan.id, on: file)
        else { return nil }
        try receiving(plan.partialPath) { () throws(SystemError) in
            try file.writeAll(bytes, at: 0)
        }
        return file
    }

    private func hasNoPartialFile(_ plan: PlacePlan) -> Bool {
        if plan.isOwn, !KnownPartials.mayInclude(plan.partialPath) { return true }
        return Files.isMissing(plan.partialPath)
    }

    /// Makes the partial file of the body.
    ///
    /// A file of this name that is the same, byte for byte, and has a second name was placed before a crash that left no
    /// record of it: it is taken as it is, so that it does not get another name. Any other is replaced.
    private func write(path: String, mode: UInt32) throws(TransferFailure) -> (descriptor: Descriptor, isNew: Bool) {
        // It may be read by others from the start: it is complete, and as soon as it has its name they may.
        KnownPartials.note(path)
        var file: Descriptor?
        do throws(SystemError) {
            file = try Descriptor(opening: path, [.both, .new, .noLink], permissions: mode)
        } catch {
            guard error == .exists else { throw destinationFailure(error, path: path) }
            // Its permissions were set before it was placed.
            if let placed = openIfPlaced(path, bytes) { return (placed, true) }
        }
        let made = if let file { file } else { try openPartialFile(path: path, start: 0) }
        try receiving(path) { () throws(SystemError) in try made.writeAll(bytes, at: 0) }
        return (made, file != nil)
    }
}

/// Opens a partial file that has a second name and holds just these bytes; `nil` when there is no such file.
func openIfPlaced(_ path: String, _ bytes: UnsafeRawBufferPointer) -> Descriptor? {
    // What cannot be looked at is written anew.
    guard let file = try? Descriptor(opening: path, [.reading, .noLink]), let status = try? file.status(),
        status.kind == .regular, status.linkCount > 1, status.size == bytes.count, holds(file, bytes)
    else { return nil }
    return file
}

/// Whether a file begins with these bytes.
func holds(_ file: Descriptor, _ bytes: some Sequence<UInt8>) -> Bool {
    let bytes = Array(bytes)
    return file.bytes(at: 0, count: bytes.count) == bytes
}
