import LonghaulCore
package import LonghaulSystem

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
    package static func connect(_ paths: LonghaulPaths) -> Result<Descriptor, SystemError> {
        let result = UnixSocket.connect(path: paths.socket)
        guard case .failure(let error) = result, error == .missing, let address = address(paths) else {
            return result
        }
        return UnixSocket.connect(path: address)
    }

    /// Whether some process has the lock; `nil` when that cannot be told.
    package static func isLocked(_ paths: LonghaulPaths) -> Bool? {
        do throws(SystemError) {
            return try Descriptor(opening: paths.lock, [.reading, .noLink]).isLockedElsewhere()
        } catch {
            return error == .missing ? false : nil
        }
    }

    /// Who wrote into the lock file last; meaningful while it is locked.
    package static func holder(_ paths: LonghaulPaths) -> Holder? {
        let words = line(of: paths.lock)?.split(separator: " ").map(String.init) ?? []
        guard words.count == 2, let process = Int32(words[0]) else { return nil }
        return Holder(process: process, host: words[1])
    }

    /// Says in the lock file who has it. That is for people: the lock itself is what counts.
    package static func sign(_ lock: Descriptor) {
        guard let host = ThisProcess.hostName else { return }
        // A lock that nobody can read the name of is as good.
        try? lock.replaceContent(with: "\(ThisProcess.id) \(host)\n")
    }

    /// The first line of a small file of this user.
    private static func line(of path: String) -> String? {
        // One that cannot be read says nothing.
        guard let file = try? Descriptor(opening: path, [.reading, .noLink, .atOnce]),
            (try? file.status())?.isOwn == true, let bytes = try? file.readBeginning(limit: 4 << 10)
        else { return nil }
        let line = bytes.prefix { $0 != 10 }
        return line.isEmpty ? nil : String(decoding: line, as: UTF8.self)
    }
}
