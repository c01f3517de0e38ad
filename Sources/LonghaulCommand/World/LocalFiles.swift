import LonghaulCore
import LonghaulSystem

/// The files that the command itself reads and writes.
enum LocalFiles {
    static func isDirectory(_ path: String) -> Bool { Files.kind(path) == .directory }

    /// Whether it is a directory, and not a link to one.
    static func isRealDirectory(_ path: String) -> Bool {
        (try? FileStatus(of: path, followsLinks: false))?.kind == .directory
    }

    /// Whether the name is taken, even by a broken symbolic link.
    static func exists(_ path: String) -> Bool { Files.isTaken(path) }

    /// Whether the path is a device, a pipe, or a socket, or a link to one, which a file must not replace.
    static func isSpecial(_ path: String) -> Bool {
        [.device, .pipe, .socket].contains(Files.kind(path))
    }

    /// The modification time of a file; `nil` if it is missing.
    static func date(_ path: String) -> WallTime? {
        // A file without a status is downloaded.
        (try? FileStatus(of: path)).map { WallTime(seconds: $0.modified / 1_000_000_000) }
    }

    /// The partial file of another program.
    static func partial(_ path: String) throws(TransferFailure) -> ForeignPartial {
        let file = try reading(path) { () throws(SystemError) in try Descriptor(opening: path, [.reading, .atOnce]) }
        let status = try reading(path) { () throws(SystemError) in try file.status() }
        guard status.kind == .regular else {
            throw TransferFailure(.destinationExists, tr("Cannot resume \(path): it is not a regular file."))
        }
        return ForeignPartial(
            file: SourceFile(path: path, pin: SourcePin(status)),
            begunAt: file.birth.map { WallTime(microseconds: $0 / 1_000) })
    }

    /// Fails before the request if the response could not be written there.
    static func checkNewFile(_ path: String, overwrites: Bool) throws(TransferFailure) {
        guard !isDirectory(path) else {
            throw TransferFailure(.destinationUnwritable, tr("\(path) is a directory. Name a file in it."))
        }
        guard overwrites || !exists(path) else {
            throw TransferFailure(
                .destinationExists, tr("\(path) already exists. Choose another name, or add --overwrite."))
        }
        try LocalPaths.checkWritable(Directory.of(path))
        let name = String(path[(path.lastIndex(of: "/") ?? path.startIndex)...].drop { $0 == "/" })
        try LocalPaths.checkAcceptance(of: name, in: Directory.of(path))
    }

    /// Reads a small file whole.
    static func readAll(_ path: String, limit: Int) throws(TransferFailure) -> [UInt8] {
        try read(open(path), limit: limit, name: path)
    }

    /// Reads a file to its end.
    static func read(_ file: some OpenFile, limit: Int, name: String) throws(TransferFailure) -> [UInt8] {
        do throws(SystemError) {
            return try file.readAll(limit: limit)
        } catch .fileTooLarge {
            throw .usage("\(name) is longer than \(HumanText.bytes(Int64(limit))). Send it with longhaul upload.")
        } catch {
            throw LocalPaths.unreadable(name, error)
        }
    }

    static func open(_ path: String) throws(TransferFailure) -> Descriptor {
        try reading(path) { () throws(SystemError) in try Descriptor(opening: path, .reading) }
    }

    /// Creates a file with this content.
    static func write(_ content: [UInt8], to path: String, overwrites: Bool) throws(TransferFailure) {
        let file: Descriptor
        do throws(SystemError) {
            let opening: Descriptor.Opening = overwrites ? [.writing, .making, .emptied] : [.writing, .new]
            file = try Descriptor(opening: path, opening, permissions: 0o666)
        } catch {
            guard error != .exists else {
                throw TransferFailure(
                    .destinationExists, tr("\(path) already exists. Choose another name, or add --overwrite."),
                    origin: error.origin)
            }
            throw unwritten(path, .destinationUnwritable, error)
        }
        do throws(SystemError) {
            try file.write(content)
            try file.finish()
        } catch {
            throw unwritten(path, error.isOutOfSpace ? .diskFull : .fileFailed, error)
        }
    }

    private static func unwritten(
        _ path: String, _ code: FailureCode, _ error: SystemError
    ) -> TransferFailure {
        TransferFailure(code, tr("Cannot write \(path): \(reason(error))."), origin: error.origin)
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
