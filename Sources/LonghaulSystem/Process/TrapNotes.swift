import CPlatform
package import LonghaulCore

#if canImport(Darwin)
    import Darwin
#else
    import Glibc
#endif

/// Records of the transfer that a process was handling when a bug ended it.
///
/// A trap is a signal that a thread causes itself: an illegal instruction, a memory fault, or `abort`. The handler
/// appends one entry to a file. Nothing is written otherwise, so the records cost nothing, and a process that is killed
/// from outside leaves none.
package enum TrapNotes {
    #if os(Linux)
        /// Records traps of this process from now on, on threads with a `TrapPlace`. Only for Longhaul's own programs: an
        /// app's signals belong to the app.
        package static func begin() throws(SystemError) {
            try value(longhaul_traps_open())
        }
    #endif

    /// Returns all entries of a file, oldest first; none if it is missing or unreadable.
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

    /// Writes these entries to the file, or deletes it if there are none.
    package static func keep(_ entries: [TrapEntry], in path: String) throws(TransferFailure) {
        guard !entries.isEmpty else { return Files.discard(path) }
        let works = entries.map { longhaul_work($0.id, $0.work) }
        try AtomicFile(path).write(works.withUnsafeBytes { Array($0) })
    }
}

/// The file for traps of the calling thread, until `end`.
package struct TrapPlace {
    private let text: UnsafeMutablePointer<CChar>?
    private let earlier: UnsafePointer<CChar>?

    package init(_ path: String) {
        // Without memory for the path, nothing is recorded.
        text = strdup(path)
        earlier = longhaul_traps_place(text)
    }

    package func end() {
        longhaul_traps_place(earlier)
        free(text)
    }
}

/// The transfer that the calling thread is handling, until `end`.
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
