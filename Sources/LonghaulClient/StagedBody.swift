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
        try PrivateDirectory.create(layout.staged, mayTighten: true)
        let (path, file) = try makeLocked(in: layout.staged)
        do throws(TransferFailure) {
            try copy(from: descriptor, to: file, path: path)
            guard fsync(file.number) == 0 else { throw failure(path, errno) }
            try syncDirectory(layout.staged)
            let pin = try SourceFile.pin(of: file, path: path)
            kept.withLock { $0.append(file) }
            return SourceFile(path: path, pin: pin, isStaged: true)
        } catch {
            unlink(path)
            throw error
        }
    }

    /// A new file that is locked. A session that is opened just between the two takes the file for litter: then another
    /// one is made.
    private static func makeLocked(in directory: String) throws(TransferFailure) -> (String, Descriptor) {
        while true {
            let path = directory + "/" + randomName()
            let number = open(path, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW, 0o600)
            guard number >= 0 else { throw failure(path, errno) }
            let file = Descriptor(number)
            let error = longhaul_lock_exclusive(number)
            guard error == 0 || error == -EAGAIN || error == -EACCES else { throw failure(path, -error) }
            var status = stat()
            if error == 0, fstat(number, &status) == 0, status.st_nlink > 0 { return (path, file) }
        }
    }

    /// The locks that say "somebody still wants this", until a record names the file: that is as long as this process lives.
    private static let kept = Mutex<[Descriptor]>([])

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
            if count >= 0 { written += count } else if errno != EINTR { throw failure(path, errno) }
        }
    }

    private static func syncDirectory(_ path: String) throws(TransferFailure) {
        let number = open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC)
        guard number >= 0 else { throw failure(path, errno) }
        let directory = Descriptor(number)
        guard fsync(directory.number) == 0 else { throw failure(path, errno) }
    }

    private static func randomName() -> String {
        TransferID(high: .random(in: .min ... .max), low: .random(in: .min ... .max)).description
    }

    private static func failure(_ path: String, _ error: Int32) -> TransferFailure {
        error == ENOSPC || error == EDQUOT || error == EFBIG
            ? TransferFailure(
                .diskFull, "There is no room to keep the body at \(path). Free some and try again.", error: error)
            : TransferFailure(.fileFailed, "The body cannot be kept at \(path).", error: error)
    }
}
