import Glibc
import LonghaulCore

/// What the command itself looks at and writes: the ends of the paths it was given.
enum LocalFiles {
    static func isDirectory(_ path: String) -> Bool {
        var status = stat()
        return stat(path, &status) == 0 && status.st_mode & S_IFMT == S_IFDIR
    }

    /// Also true for a link that leads nowhere: the name is taken.
    static func exists(_ path: String) -> Bool {
        var status = stat()
        return lstat(path, &status) == 0
    }

    /// A device, a pipe or a socket, or a link to one: nothing that a file may take the place of.
    static func isSpecial(_ path: String) -> Bool {
        var status = stat()
        return stat(path, &status) == 0 && ![S_IFREG, S_IFDIR].contains(status.st_mode & S_IFMT)
    }

    static func checkWritableDirectory(_ path: String) throws(TransferFailure) {
        guard isDirectory(path) else {
            throw TransferFailure(
                .destinationUnwritable, "there is no directory \(path); make it, or choose another with -d",
                origin: .system(Int(ENOENT)))
        }
        guard access(path, W_OK | X_OK) == 0 else {
            throw TransferFailure(
                .destinationUnwritable, "files cannot be made in \(path): \(reason(errno)); choose another with -d",
                origin: .system(Int(errno)))
        }
    }

    static func checkReadable(_ path: String) throws(TransferFailure) {
        guard access(path, R_OK) == 0 else { throw unreadable(path) }
    }

    /// Says before anything is sent that an answer could not be written there.
    static func checkNewFile(_ path: String, overwrites: Bool) throws(TransferFailure) {
        guard !isDirectory(path) else {
            throw TransferFailure(.destinationUnwritable, "\(path) is a directory; name a file in it")
        }
        guard overwrites || !exists(path) else {
            throw TransferFailure(
                .destinationExists, "\(path) is already there; choose another name or give --overwrite")
        }
        let directory = String(path[..<(path.lastIndex(of: "/") ?? path.startIndex)])
        guard access(directory.isEmpty ? "/" : directory, W_OK | X_OK) == 0 else {
            throw TransferFailure(
                .destinationUnwritable, "files cannot be made in \(directory): \(reason(errno))",
                origin: .system(Int(errno)))
        }
    }

    /// Reads a small file whole.
    static func readAll(_ path: String, limit: Int) throws(TransferFailure) -> [UInt8] {
        let descriptor = try open(path)
        defer { close(descriptor) }
        return try read(descriptor, limit: limit, name: path)
    }

    /// Reads what comes from a descriptor, to its end.
    static func read(_ descriptor: Int32, limit: Int, name: String) throws(TransferFailure) -> [UInt8] {
        var content: [UInt8] = []
        var chunk = [UInt8](repeating: 0, count: 65_536)
        while true {
            let count = Glibc.read(descriptor, &chunk, chunk.count)
            if count < 0 && errno == EINTR { continue }
            guard count >= 0 else { throw unreadable(name) }
            if count == 0 { return content }
            content += chunk[..<count]
            guard content.count <= limit else {
                throw .usage("\(name) is longer than \(HumanText.bytes(Int64(limit))); use longhaul upload for it")
            }
        }
    }

    static func open(_ path: String) throws(TransferFailure) -> Int32 {
        let descriptor = Glibc.open(path, O_RDONLY | O_CLOEXEC)
        guard descriptor >= 0 else { throw unreadable(path) }
        return descriptor
    }

    /// Makes a new file with this content.
    static func write(_ content: [UInt8], to path: String, overwrites: Bool) throws(TransferFailure) {
        let flags = O_WRONLY | O_CREAT | O_CLOEXEC | (overwrites ? O_TRUNC : O_EXCL)
        let descriptor = Glibc.open(path, flags, 0o666)
        guard descriptor >= 0 else {
            let number = errno
            let code: FailureCode = number == EEXIST ? .destinationExists : .destinationUnwritable
            let remedy = number == EEXIST ? "; choose another name or give --overwrite" : ""
            throw TransferFailure(
                code, "cannot write \(path): \(reason(number))\(remedy)", origin: .system(Int(number)))
        }
        var rest = content[...]
        while !rest.isEmpty {
            let count = rest.withUnsafeBytes { Glibc.write(descriptor, $0.baseAddress, $0.count) }
            if count < 0 && errno == EINTR { continue }
            guard count >= 0 else { break }
            rest = rest.dropFirst(count)
        }
        let number = rest.isEmpty ? 0 : errno
        guard close(descriptor) == 0, number == 0 else {
            let number = number == 0 ? errno : number
            throw TransferFailure(
                number == ENOSPC ? .diskFull : .fileFailed, "cannot write \(path): \(reason(number))",
                origin: .system(Int(number)))
        }
    }

    static func reason(_ number: Int32) -> String {
        strerror(number).map { String(cString: $0).lowercased() } ?? "error \(number)"
    }

    private static func unreadable(_ path: String) -> TransferFailure {
        let number = errno
        return TransferFailure(
            number == ENOENT ? .sourceMissing : .sourceUnreadable, "cannot read \(path): \(reason(number))",
            origin: .system(Int(number)))
    }
}
