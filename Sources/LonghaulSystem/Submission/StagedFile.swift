package import LonghaulCore

/// A body in the session's directory. A lock on the file marks it as needed: the session's owner deletes files that are
/// neither locked nor named by a record. Release the value when a record names the file.
package struct StagedFile: Sendable {
    package let source: SourceFile
    private let lock: Descriptor

    /// Creates the file, lets `fill` write it, and syncs it. Leaves nothing behind if that fails.
    init(
        in layout: SessionLayout, fill: (Descriptor, _ path: String) throws(TransferFailure) -> Void
    ) throws(TransferFailure) {
        try PrivateDirectory.create(layout.staged, mayTighten: true)
        let (path, file) = try Self.makeLocked(in: layout.staged)
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
    private static func makeLocked(in directory: String) throws(TransferFailure) -> (String, Descriptor) {
        while true {
            let path = directory + "/" + randomName()
            let file = try keeping(path) { () throws(SystemError) -> Descriptor? in
                let file = try Descriptor(opening: path, [.both, .new, .noLink])
                guard try file.tryLock() else { return nil }
                return try file.status().linkCount > 0 ? file : nil
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
