import Glibc
public import LonghaulCore
import LonghaulIPC

extension SourceFile {
    /// Looks at a file and pins it. Fails with `sourceMissing` or `sourceUnreadable`, directories included.
    public static func inspect(path: String) throws(TransferFailure) -> SourceFile {
        let absolute = try absolutePath(path)
        // Opened and not only looked at: that shows whether it can be read. Without O_NONBLOCK a named pipe would wait.
        let number = open(absolute, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY)
        guard number >= 0 else {
            throw errno == ENOENT || errno == ENOTDIR
                ? TransferFailure(
                    .sourceMissing, "There is no file \(absolute). Check its path.", origin: .system(Int(errno)))
                : TransferFailure(.sourceUnreadable, "\(absolute) cannot be read.", error: errno)
        }
        let file = Descriptor(number)
        return SourceFile(path: absolute, pin: try pin(of: file, path: absolute))
    }

    static func pin(of file: Descriptor, path: String) throws(TransferFailure) -> SourcePin {
        var status = stat()
        guard fstat(file.number, &status) == 0 else {
            throw TransferFailure(.sourceUnreadable, "\(path) cannot be looked at.", error: errno)
        }
        guard status.st_mode & S_IFMT == S_IFREG else {
            throw TransferFailure(.sourceUnreadable, "\(path) is not a regular file: only those can be uploaded.")
        }
        let modified = Int64(status.st_mtim.tv_sec) * 1_000_000_000 + Int64(status.st_mtim.tv_nsec)
        return SourcePin(
            size: Int64(status.st_size), modified: modified, inode: UInt64(status.st_ino), device: UInt64(status.st_dev)
        )
    }

    private static func absolutePath(_ path: String) throws(TransferFailure) -> String {
        if path.hasPrefix("/") { return path }
        guard !path.isEmpty, let directory = getcwd(nil, 0) else {
            throw TransferFailure(.sourceMissing, "A file without a name cannot be uploaded.")
        }
        defer { free(directory) }
        return String(cString: directory) + "/" + path
    }
}
