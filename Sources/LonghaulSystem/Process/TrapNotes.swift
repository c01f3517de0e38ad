import CLinux
package import LonghaulCore

#if canImport(Darwin)
    import Darwin
#else
    import Glibc
#endif

/// Notes of which transfer a process was at work on when a fault of the program ended it.
///
/// A trap is a signal that a thread raises by what it does itself: an instruction that cannot be executed, memory that is not
/// there, `abort`. The handler appends one entry to a file. Nothing else is ever written, so that the notes cost nothing, and a
/// process that is killed from outside leaves none.
package enum TrapNotes {
    /// From now on traps of this process are noted, on threads that have a `TrapPlace`. It is for programs of Longhaul's own: an
    /// app's signals belong to the app.
    package static func begin() throws(SystemError) {
        try value(longhaul_traps_open())
    }

    /// All entries of a file, oldest first; none when it is not there or cannot be read.
    package static func entries(in path: String) -> [TrapEntry] {
        guard let bytes = try? Descriptor(opening: path, [.reading, .noLink]).readAll(limit: 1 << 20) else { return [] }
        let size = MemoryLayout<longhaul_work>.size
        return bytes.withUnsafeBytes { bytes in
            stride(from: 0, through: bytes.count - size, by: size).compactMap { offset in
                let entry = bytes.loadUnaligned(fromByteOffset: offset, as: longhaul_work.self)
                guard entry.magic == LONGHAUL_WORK_MAGIC, let work = TrapEntry.Work(rawValue: entry.kind) else {
                    return nil
                }
                return TrapEntry(TransferID(high: entry.high, low: entry.low), work)
            }
        }
    }

    /// Leaves these in the file; without any there is no file.
    package static func keep(_ entries: [TrapEntry], in path: String) throws(TransferFailure) {
        guard !entries.isEmpty else { return Files.discard(path) }
        let works = entries.map { longhaul_work($0.id, $0.work) }
        try AtomicFile(path).write(works.withUnsafeBytes { Array($0) })
    }
}

/// Where traps of the thread that made it are noted, until it is told that this is over.
package struct TrapPlace {
    private let text: UnsafeMutablePointer<CChar>?
    private let earlier: UnsafePointer<CChar>?

    package init(_ path: String) {
        // Without memory for the name nothing is noted.
        text = strdup(path)
        earlier = longhaul_traps_place(text)
    }

    package func end() {
        longhaul_traps_place(earlier)
        free(text)
    }
}

/// Which transfer the thread that made it is at work on, until it is told that this is over.
package struct TrapNote {
    private let earlier: longhaul_work

    package init(_ id: TransferID, _ work: TrapEntry.Work) {
        earlier = longhaul_traps_work(longhaul_work(id, work))
    }

    package func end() {
        _ = longhaul_traps_work(earlier)
    }
}

extension longhaul_work {
    fileprivate init(_ id: TransferID, _ work: TrapEntry.Work) {
        self.init(magic: LONGHAUL_WORK_MAGIC, kind: work.rawValue, high: id.high, low: id.low)
    }
}
