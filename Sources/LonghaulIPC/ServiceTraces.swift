import CLinux
import Glibc
import LonghaulCore

/// What a service leaves in its state directory so that others find it, or can say where it is.
package enum ServiceTraces {
    /// The process that has the lock, as it called itself.
    package struct Holder: Equatable, Sendable {
        package var process: Int32
        package var host: String

        package init(process: Int32, host: String) {
            self.process = process
            self.host = host
        }

        package var sentence: String { "process \(process) on \(host)" }
    }

    /// Where the socket is that a service with no room for one in the state directory has made.
    package static func address(_ paths: LonghaulPaths) -> String? {
        guard let path = line(of: paths.address), path.hasPrefix("/") else { return nil }
        return path
    }

    /// Connects to the service of this state directory, or tells the error number.
    package static func connect(_ paths: LonghaulPaths) -> Result<Descriptor, SystemErrorNumber> {
        let result = UnixSocket.connect(path: paths.socket)
        guard case .failure(let error) = result, error.number == ENOENT, let address = address(paths) else {
            return result
        }
        return UnixSocket.connect(path: address)
    }

    /// Whether some process has the lock; `nil` when that cannot be told.
    package static func isLocked(_ paths: LonghaulPaths) -> Bool? {
        let number = open(paths.lock, O_RDONLY | O_CLOEXEC | O_NOFOLLOW)
        guard number >= 0 else { return errno == ENOENT ? false : nil }
        defer { close(number) }
        let answer = longhaul_lock_is_held(number)
        return answer < 0 ? nil : answer == 1
    }

    /// Who wrote into the lock file last; meaningful while it is locked.
    package static func holder(_ paths: LonghaulPaths) -> Holder? {
        let words = line(of: paths.lock)?.split(separator: " ").map(String.init) ?? []
        guard words.count == 2, let process = Int32(words[0]) else { return nil }
        return Holder(process: process, host: words[1])
    }

    /// Says in the lock file who has it. That is for people: the lock itself is what counts.
    package static func sign(_ lock: Descriptor) {
        var name = [CChar](repeating: 0, count: 256)
        guard gethostname(&name, name.count - 1) == 0 else { return }
        let host = String(decoding: name.prefix { $0 != 0 }.map(UInt8.init(bitPattern:)), as: UTF8.self)
        let text = "\(getpid()) \(host)\n"
        guard ftruncate(lock.number, 0) == 0 else { return }
        _ = pwrite(lock.number, text, text.utf8.count, 0)
    }

    /// The first line of a small file of this user.
    private static func line(of path: String) -> String? {
        let number = open(path, O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK)
        guard number >= 0 else { return nil }
        let file = Descriptor(number)
        var status = stat()
        guard fstat(file.number, &status) == 0, status.st_uid == getuid() else { return nil }
        let bytes = [UInt8](unsafeUninitializedCapacity: 4 << 10) { room, count in
            count = max(0, read(file.number, room.baseAddress, room.count))
        }
        let line = bytes.prefix { $0 != 10 }
        return line.isEmpty ? nil : String(decoding: line, as: UTF8.self)
    }
}
