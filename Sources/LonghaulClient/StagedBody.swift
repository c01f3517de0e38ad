package import LonghaulCore
import LonghaulIPC
import LonghaulSystem
import Synchronization

/// Reads everything from a descriptor into the session's directory, so that it can be uploaded after this process is gone.
package enum StagedBody {
    /// Copies until end of file, syncs, and names the result as a staged source. Blocks for as long as the descriptor
    /// does. Fails with `diskFull`, `fileFailed` or `sourceUnreadable`, and leaves nothing behind then.
    package static func stage(
        descriptor: Int32, for session: SessionID
    ) throws(TransferFailure) -> SourceFile {
        try stage(descriptor: descriptor, for: session, environment: ProcessEnvironment.current)
    }

    package static func stage(
        descriptor: Int32, for session: SessionID, environment: [String: String]
    ) throws(TransferFailure) -> SourceFile {
        let paths = try LonghaulPaths(environment: environment)
        let layout = SessionLayout(stateDirectory: paths.stateDirectory, session: session)
        let body = try StagedFile(in: layout) { file, path throws(TransferFailure) in
            try copy(from: LentDescriptor(descriptor), to: file, path: path)
        }
        kept.withLock { $0.append(body) }
        return body.source
    }

    /// Keeps bytes from memory. Blocks until they are on disk.
    package static func stage(_ bytes: [UInt8], in layout: SessionLayout) throws(TransferFailure) -> StagedFile {
        try StagedFile(in: layout) { file, path throws(TransferFailure) in
            try StagedFile.keeping(path) { () throws(SystemError) in try file.write(bytes) }
        }
    }

    /// Nobody tells when a record names these, so they are locked for as long as this process lives.
    private static let kept = Mutex<[StagedFile]>([])

    private static func copy(
        from source: LentDescriptor, to file: Descriptor, path: String
    ) throws(TransferFailure) {
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
                throw TransferFailure(.sourceUnreadable, "The body to upload cannot be read.", error: error)
            }
            let bytes = UnsafeRawBufferPointer(rebasing: buffer[..<count])
            try StagedFile.keeping(path) { () throws(SystemError) in try file.write(bytes) }
        }
    }
}
