package import LonghaulCore
import Synchronization

/// Reads a descriptor to its end into the session's directory, so that it can be uploaded after this process has ended.
package enum StagedBody {
    /// Copies for the command. The copy stays locked until this process ends.
    package static func stage(
        _ content: some OpenFile, named name: String, for session: SessionID,
        environment: [String: String] = ProcessEnvironment.current
    ) throws(TransferFailure) -> SourceFile {
        let paths = try LonghaulPaths(environment: environment)
        let body = try stage(
            content, named: name, in: SessionLayout(stateDirectory: paths.stateDirectory, session: session))
        kept.withLock { $0.append(body) }
        return body.source
    }

    /// Copies until end of file, syncs, and returns the result as a staged source. Blocks while the descriptor blocks.
    /// Fails with `diskFull`, `fileFailed`, or `sourceUnreadable`, and then leaves nothing behind.
    package static func stage(
        _ content: some OpenFile, named name: String, in layout: SessionLayout
    ) throws(TransferFailure) -> StagedFile {
        try StagedFile(in: layout) { file, path throws(TransferFailure) in
            try copy(from: content, named: name, to: file, path: path)
        }
    }

    /// Stores bytes from memory. Blocks until they are on disk.
    package static func stage(_ bytes: [UInt8], in layout: SessionLayout) throws(TransferFailure) -> StagedFile {
        try StagedFile(in: layout) { file, path throws(TransferFailure) in
            try StagedFile.keeping(path) { () throws(SystemError) in try file.write(bytes) }
        }
    }

    /// The command does not learn when a record names these.
    private static let kept = Mutex<[StagedFile]>([])

    static func copy(
        from source: some OpenFile, named name: String, to file: Descriptor, path: String
    ) throws(TransferFailure) {
        // Until a process opens a named pipe for writing, read(2) returns 0 as at its end, and poll(2) waits.
        while PollSet.wait([(source.number, .readable)], milliseconds: -1) == [[]] {}
        let buffer = UnsafeMutableRawBufferPointer.allocate(byteCount: 256 << 10, alignment: 4096)
        defer { buffer.deallocate() }
        while true {
            var count = 0
            do throws(SystemError) {
                count = try source.read(into: buffer)
                if count == 0 { return }
            } catch .wouldBlock {
                PollSet.wait([(source.number, .readable)], milliseconds: -1)
            } catch {
                throw TransferFailure(.sourceUnreadable, "Could not read \(name).", error: error)
            }
            let bytes = UnsafeRawBufferPointer(rebasing: buffer[..<count])
            try StagedFile.keeping(path) { () throws(SystemError) in try file.write(bytes) }
        }
    }
}
