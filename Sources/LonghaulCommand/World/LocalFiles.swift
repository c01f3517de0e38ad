import LonghaulClient
import LonghaulCore
import LonghaulSystem

/// What the command itself looks at and writes: the ends of the paths it was given.
enum LocalFiles {
    static func isDirectory(_ path: String) -> Bool { Files.kind(path) == .directory }

    /// Also true for a link that leads nowhere: the name is taken.
    static func exists(_ path: String) -> Bool { Files.isTaken(path) }

    /// A device, a pipe or a socket, or a link to one: nothing that a file may take the place of.
    static func isSpecial(_ path: String) -> Bool {
        [.device, .pipe, .socket].contains(Files.kind(path))
    }

    /// When the file was changed last; `nil` when it is not there.
    static func date(_ path: String) -> WallTime? {
        // What cannot be looked at is fetched.
        (try? FileStatus(of: path)).map { WallTime(seconds: $0.modified / 1_000_000_000) }
    }

    /// What another program left of a download.
    static func partial(_ path: String) throws(TransferFailure) -> ForeignPartial {
        let file = try reading(path) { () throws(SystemError) in try Descriptor(opening: path, [.reading, .atOnce]) }
        let status = try reading(path) { () throws(SystemError) in try file.status() }
        guard status.kind == .regular else {
            throw TransferFailure(.destinationExists, "\(path) is no file that could be gone on with")
        }
        return ForeignPartial(
            file: SourceFile(path: path, pin: SourcePin(status)),
            begunAt: file.birth.map { WallTime(microseconds: $0 / 1_000) })
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
        try LocalPaths.checkWritable(Directory.of(path))
        let name = String(path[(path.lastIndex(of: "/") ?? path.startIndex)...].drop { $0 == "/" })
        try LocalPaths.checkAcceptance(of: name, in: Directory.of(path))
    }

    /// Reads a small file whole.
    static func readAll(_ path: String, limit: Int) throws(TransferFailure) -> [UInt8] {
        try read(open(path), limit: limit, name: path)
    }

    /// Reads what comes from a descriptor, to its end.
    static func read(_ file: some OpenFile, limit: Int, name: String) throws(TransferFailure) -> [UInt8] {
        do throws(SystemError) {
            return try file.readAll(limit: limit)
        } catch .fileTooLarge {
            throw .usage("\(name) is longer than \(HumanText.bytes(Int64(limit))); use longhaul upload for it")
        } catch {
            throw LocalPaths.unreadable(name, error)
        }
    }

    static func open(_ path: String) throws(TransferFailure) -> Descriptor {
        try reading(path) { () throws(SystemError) in try Descriptor(opening: path, .reading) }
    }

    /// Makes a new file with this content.
    static func write(_ content: [UInt8], to path: String, overwrites: Bool) throws(TransferFailure) {
        let file: Descriptor
        do throws(SystemError) {
            let opening: Descriptor.Opening = overwrites ? [.writing, .making, .emptied] : [.writing, .new]
            file = try Descriptor(opening: path, opening, permissions: 0o666)
        } catch {
            let remedy = error == .exists ? "; choose another name or give --overwrite" : ""
            throw unwritten(path, error == .exists ? .destinationExists : .destinationUnwritable, error, remedy)
        }
        do throws(SystemError) {
            try file.write(content)
            try file.finish()
        } catch {
            throw unwritten(path, error.isOutOfSpace ? .diskFull : .fileFailed, error)
        }
    }

    private static func unwritten(
        _ path: String, _ code: FailureCode, _ error: SystemError, _ remedy: String = ""
    ) -> TransferFailure {
        TransferFailure(code, "cannot write \(path): \(reason(error))\(remedy)", origin: error.origin)
    }

    static func reason(_ error: SystemError) -> String { error.text.lowercased() }

    private static func reading<Value>(
        _ path: String, _ body: () throws(SystemError) -> Value
    ) throws(TransferFailure) -> Value {
        do throws(SystemError) {
            return try body()
        } catch {
            throw LocalPaths.unreadable(path, error)
        }
    }
}
