import CLinux
import Glibc
public import LonghaulCore
import LonghaulIPC
import Synchronization

/// Reads everything from a descriptor into the session's directory, so that it can be uploaded after this process is gone.
public enum StagedBody {
    /// Copies until end of file, syncs, and names the result as a staged source. Blocks for as long as the descriptor
    /// does. Fails with `diskFull`, `fileFailed` or `sourceUnreadable`, and leaves nothing behind then.
    public static func stage(
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
            try copy(from: descriptor, to: file, path: path)
        }
        kept.withLock { $0.append(body) }
        return body.source
    }

    /// Keeps bytes from memory. Blocks until they are on disk.
    package static func stage(_ bytes: [UInt8], in layout: SessionLayout) throws(TransferFailure) -> StagedFile {
        try StagedFile(in: layout) { file, path throws(TransferFailure) in
            let result = bytes.withUnsafeBytes { bytes in
                Result { () throws(TransferFailure) in try write(bytes, to: file, path: path) }
            }
            try result.get()
        }
    }

    /// Nobody tells when a record names these, so they are locked for as long as this process lives.
    private static let kept = Mutex<[StagedFile]>([])

    private static func copy(from source: Int32, to file: Descriptor, path: String) throws(TransferFailure) {
        let buffer = UnsafeMutableRawBufferPointer.allocate(byteCount: 256 << 10, alignment: 4096)
        defer { buffer.deallocate() }
        while true {
            let count = read(source, buffer.baseAddress, buffer.count)
            if count == 0 { return }
            if count > 0 {
                try write(UnsafeRawBufferPointer(rebasing: buffer[..<count]), to: file, path: path)
            } else if errno == EAGAIN {
                var wait = pollfd(fd: source, events: Int16(POLLIN), revents: 0)
                poll(&wait, 1, -1)
            } else if errno != EINTR {
                throw TransferFailure(.sourceUnreadable, "The body to upload cannot be read.", error: errno)
            }
        }
    }

    private static func write(_ bytes: UnsafeRawBufferPointer, to file: Descriptor, path: String)
        throws(TransferFailure)
    {
        var written = 0
        while written < bytes.count {
            let count = Glibc.write(file.number, bytes.baseAddress! + written, bytes.count - written)
            if count >= 0 { written += count } else if errno != EINTR { throw StagedFile.failure(path, errno) }
        }
    }
}
