import CLinux
import Glibc
package import LonghaulCore
import LonghaulIPC

/// A body in the session's directory. A lock on the file says that somebody still wants it: the session's runner sweeps
/// what is neither locked nor named by a record. Let go of the value when a record names the file.
package struct StagedFile: Sendable {
    package let source: SourceFile
    private let lock: Descriptor

    /// Makes the file, lets `fill` write it, and syncs it. Leaves nothing behind when that fails.
    init(
        in layout: SessionLayout, fill: (Descriptor, _ path: String) throws(TransferFailure) -> Void
    ) throws(TransferFailure) {
        try PrivateDirectory.create(layout.staged, mayTighten: true)
        let (path, file) = try Self.makeLocked(in: layout.staged)
        do throws(TransferFailure) {
            try fill(file, path)
            guard fsync(file.number) == 0 else { throw Self.failure(path, errno) }
            try Self.syncDirectory(layout.staged)
            source = SourceFile(path: path, pin: try SourceFile.pin(of: file, path: path), isStaged: true)
            lock = file
        } catch {
            unlink(path)
            throw error
        }
    }

    /// Deletes the file: no record will name it.
    package func discard() {
        unlink(source.path)
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

    private static func syncDirectory(_ path: String) throws(TransferFailure) {
        let number = open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC)
        guard number >= 0 else { throw failure(path, errno) }
        let directory = Descriptor(number)
        guard fsync(directory.number) == 0 else { throw failure(path, errno) }
    }

    private static func randomName() -> String {
        TransferID(high: .random(in: .min ... .max), low: .random(in: .min ... .max)).description
    }

    static func failure(_ path: String, _ error: Int32) -> TransferFailure {
        error == ENOSPC || error == EDQUOT || error == EFBIG
            ? TransferFailure(
                .diskFull, "There is no room to keep the body at \(path). Free some and try again.", error: error)
            : TransferFailure(.fileFailed, "The body cannot be kept at \(path).", error: error)
    }
}
