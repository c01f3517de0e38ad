import LonghaulCore
import LonghaulSystem

extension HeldBody {
    /// Without `/proc`, only privileged processes may link an unnamed file.
    private static let mayNameLater = Files.allows(.execute, "/proc/self/fd")

    /// A body in a file.
    typealias Written = (descriptor: Descriptor, isNamed: Bool, wantsPermissions: Bool)

    /// Writes the body to a file and returns it open. The file is unnamed until it is placed, so it leaves nothing
    /// behind if it never is. If that is impossible, or if a partial file exists, the body is written to the partial
    /// file. The permissions are `mode`, or still have to be set.
    func write(for plan: PlacePlan, mode: UInt32) throws(TransferFailure) -> Written {
        // The umask of this process may remove more permissions than the submitter's.
        if let descriptor = try writeUnnamed(plan, mode) { return (descriptor, false, plan.creationMask != nil) }
        let (descriptor, isNew) = try write(path: plan.partialPath, mode: mode)
        return (descriptor, true, !isNew || plan.creationMask != nil)
    }

    private func writeUnnamed(_ plan: PlacePlan, _ mode: UInt32) throws(TransferFailure) -> Descriptor? {
        // If the file system supports no unnamed files or no marks, the body is written under a name.
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
    /// A file of this name with the same bytes and a second hard link was placed before a crash, and its record was
    /// lost. It is used as it is, so that it does not get another name. Any other file is replaced.
    private func write(path: String, mode: UInt32) throws(TransferFailure) -> (descriptor: Descriptor, isNew: Bool) {
        // Others may read it from the start: it is complete, and they may read it under its final name.
        KnownPartials.add(path)
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

/// Opens a partial file that has a second hard link and exactly these bytes; `nil` if there is no such file.
func openIfPlaced(_ path: String, _ bytes: UnsafeRawBufferPointer) -> Descriptor? {
    // A file that cannot be inspected is rewritten.
    guard let file = try? Descriptor(opening: path, [.reading, .noLink]), let status = try? file.status(),
        status.kind == .regular, status.linkCount > 1, status.size == bytes.count, holds(file, bytes)
    else { return nil }
    return file
}

/// Returns whether a file starts with these bytes.
func holds(_ file: Descriptor, _ bytes: some Sequence<UInt8>) -> Bool {
    let bytes = Array(bytes)
    return file.bytes(at: 0, count: bytes.count) == bytes
}
