import LonghaulCore
package import LonghaulSystem

/// The files in a service's state directory by which other processes find it.
package enum ServiceTraces {
    /// The process that holds the lock, according to the lock file.
    package struct Holder: Equatable, Sendable {
        package var process: Int32
        package var host: String

        package init(process: Int32, host: String) {
            self.process = process
            self.host = host
        }

        package var sentence: String { "process \(process) on \(host)" }
    }

    /// Returns the address of a socket outside the state directory, if the state directory cannot hold one.
    package static func address(_ paths: LonghaulPaths) -> String? {
        guard let path = line(of: paths.address), path.hasPrefix("/") else { return nil }
        return path
    }

    /// Connects to the service of this state directory, or returns the error.
    package static func connect(_ paths: LonghaulPaths) -> Result<Descriptor, SystemError> {
        let result = UnixSocket.connect(path: paths.socket)
        guard case .failure(let error) = result, error == .missing, let address = address(paths) else {
            return result
        }
        return UnixSocket.connect(path: address)
    }

    /// Returns whether some process holds the lock; `nil` if that is unknown.
    package static func isLocked(_ paths: LonghaulPaths) -> Bool? {
        do throws(SystemError) {
            return try Descriptor(opening: paths.lock, [.reading, .noLink]).isLockedElsewhere()
        } catch {
            return error == .missing ? false : nil
        }
    }

    /// Returns the last process that wrote to the lock file; meaningful while the file is locked.
    package static func holder(_ paths: LonghaulPaths) -> Holder? {
        let words = line(of: paths.lock)?.split(separator: " ").map(String.init) ?? []
        guard words.count == 2, let process = Int32(words[0]) else { return nil }
        return Holder(process: process, host: words[1])
    }

    /// Records the lock's holder in the lock file, for users: only the lock itself is authoritative.
    package static func sign(_ lock: Descriptor) {
        guard let host = ThisProcess.hostName else { return }
        // A lock without a recorded holder is just as valid.
        try? lock.replaceContent(with: "\(ThisProcess.id) \(host)\n")
    }

    /// Returns the first line of a small file of this user.
    private static func line(of path: String) -> String? {
        // An unreadable file counts as missing.
        guard let file = try? Descriptor(opening: path, [.reading, .noLink, .atOnce]),
            (try? file.status())?.isOwn == true, let bytes = try? file.readBeginning(limit: 4 << 10)
        else { return nil }
        let line = bytes.prefix { $0 != 10 }
        return line.isEmpty ? nil : String(decoding: line, as: UTF8.self)
    }
}
