package import LonghaulCore

/// A body in the session's directory. A lock on the file marks it as needed: the session's owner deletes files that are
/// neither locked nor named by a record. Release the value when a record names the file.
package struct StagedFile: Sendable {
    package private(set) var source: SourceFile
    private let lock: Descriptor

    /// Creates the file, lets `fill` write it, and syncs it. Leaves nothing behind if that fails.
    init(
        in layout: SessionLayout, fill: (Descriptor, _ path: String) throws(TransferFailure) -> Void
    ) throws(TransferFailure) {
        try self.init(
            in: layout,
            create: { path throws(SystemError) in
                _ = try Descriptor(opening: path, [.writing, .making, .new, .noLink])
            }, fill: fill)
    }

    /// Keeps a copy of a source: a clone if the file system can share its blocks, otherwise a second file. `prepare` gets the path of a
    /// clone, which has the attributes of its source. Fails with `sourceChanged` if the source is not the pinned one, with `sourceMissing`
    /// or `sourceUnreadable`, and with `diskFull` if a second file has no room.
    package init(
        copyOf original: SourceFile, in layout: SessionLayout, prepare: (_ path: String) -> Void
    ) throws(TransferFailure) {
        let file = try original.openPinned()
        do throws(TransferFailure) {
            self = try Self.cloning(original, layout, prepare)
        } catch {
            // The source is on another volume, or a link, or the file system has no clones. Any other error comes again.
            self = try Self(in: layout) { copy, path throws(TransferFailure) in
                try StagedBody.copy(from: file, named: original.path, to: copy, path: path)
            }
        }
        source.origin = CopyOnWrite(SourceOrigin(path: original.path, modified: original.pin.modified))
        do throws(TransferFailure) {
            // It may have changed meanwhile.
            _ = try original.openPinned()
            guard source.pin.size == original.pin.size else { throw .sourceChanged(original) }
        } catch {
            discard()
            throw error
        }
    }

    private static func cloning(
        _ original: SourceFile, _ layout: SessionLayout, _ prepare: (_ path: String) -> Void
    ) throws(TransferFailure) -> StagedFile {
        try StagedFile(
            in: layout, create: { path throws(SystemError) in try Files.clone(original.path, to: path) },
            fill: { _, path throws(TransferFailure) in prepare(path) })
    }

    private init(
        in layout: SessionLayout, create: (_ path: String) throws(SystemError) -> Void,
        fill: (Descriptor, _ path: String) throws(TransferFailure) -> Void
    ) throws(TransferFailure) {
        try PrivateDirectory.create(layout.staged, mayTighten: true)
        let (path, file) = try Self.makeLocked(in: layout.staged, create)
        do throws(TransferFailure) {
            try fill(file, path)
            try Self.keeping(path) { () throws(SystemError) in
                try file.sync()
                try Directory.sync(layout.staged)
            }
            source = SourceFile(path: path, pin: SourcePin(try SourceFile.status(of: file, path)), isStaged: true)
            lock = file
        } catch {
            Files.discard(path)
            throw error
        }
    }

    /// Deletes the file, which no record names.
    package func discard() {
        Files.discard(source.path)
    }

    /// Creates and locks a file. A session that is opened between the two steps may delete the file as orphaned: then
    /// another file is created.
    private static func makeLocked(
        in directory: String, _ create: (_ path: String) throws(SystemError) -> Void
    ) throws(TransferFailure) -> (String, Descriptor) {
        while true {
            let path = directory + "/" + randomName()
            let file = try keeping(path) { () throws(SystemError) -> Descriptor? in
                try create(path)
                do throws(SystemError) {
                    let file = try Descriptor(opening: path, [.both, .noLink])
                    guard try file.tryLock() else { return nil }
                    return try file.status().linkCount > 0 ? file : nil
                } catch .missing {
                    return nil
                }
            }
            if let file { return (path, file) }
        }
    }

    private static func randomName() -> String {
        TransferID(high: .random(in: .min ... .max), low: .random(in: .min ... .max)).description
    }

    /// Performs an operation on the file, and converts its error to a failure.
    static func keeping<Value>(
        _ path: String, _ body: () throws(SystemError) -> Value
    ) throws(TransferFailure) -> Value {
        do throws(SystemError) {
            return try body()
        } catch {
            throw error.isOutOfSpace || error == .fileTooLarge
                ? TransferFailure(
                    .diskFull, "Could not save the body at \(path): the disk is full. Free some space and try again.",
                    origin: error.origin)
                : TransferFailure(.fileFailed, "Could not save the body at \(path).", error: error)
        }
    }
}

extension SourceFile {
    /// Opens the file. Fails if it is not the pinned one.
    fileprivate func openPinned() throws(TransferFailure) -> Descriptor {
        let file: Descriptor
        do throws(SystemError) {
            file = try Descriptor(opening: path, [.reading, .atOnce])
        } catch {
            throw LocalPaths.unreadable(path, error)
        }
        guard SourcePin(try Self.status(of: file, path)) == pin else { throw .sourceChanged(self) }
        return file
    }
}
