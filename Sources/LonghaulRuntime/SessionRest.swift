package import LonghaulCore
import LonghaulSystem

/// A session that was closed because it had nothing to do: its totals, and its store's file at that time.
///
/// A file in the session's directory repeats the value, so that the next service does not open the session. The value holds as long as
/// the store's file is the same and has no log. Each opening writes to the store, so a later owner of any version makes the value
/// void, whether it ends in order or crashes. The file is neither synced nor deleted: a void or damaged one is ignored.
package struct SessionRest: Equatable, Sendable {
    package let totals: SessionTotals
    /// When the session must be open again, at the latest.
    package let due: WallTime?
    /// The store's inode, size, and time of the last change.
    private let store: [Int64]

    private static let format: Int64 = 1
    /// A session that is due sooner stays open.
    static let leastTime = Duration.seconds(10)

    /// Describes a store that was just closed, while the session's lock is held. `nil` if the store has a log, which another process
    /// reads.
    init?(closed layout: SessionLayout, _ totals: SessionTotals, due: WallTime?) {
        guard let store = Self.status(of: layout) else { return nil }
        self.store = store
        self.totals = totals
        self.due = due
    }

    /// Returns the rest of a closed session; `nil` if it may have something to do.
    package init?(reading layout: SessionLayout) {
        guard let bytes = try? AtomicFile(layout.rest).read(), bytes.last == UInt8(ascii: "\n") else { return nil }
        let numbers = String(decoding: bytes.dropLast(), as: UTF8.self).split(separator: " ").map { Int64($0) ?? -1 }
        guard numbers.count == 9, numbers[0] == Self.format, numbers.allSatisfy({ $0 >= 0 }) else { return nil }
        store = Array(numbers[1...3])
        var totals = SessionTotals()
        totals.paused = Int(numbers[4])
        totals.succeeded = Int(numbers[5])
        totals.failed = Int(numbers[6])
        totals.cancelled = Int(numbers[7])
        self.totals = totals
        due = numbers[8] > 0 ? WallTime(microseconds: numbers[8]) : nil
        if !holds(in: layout) { return nil }
    }

    /// Whether no process has opened the session since. A process that is just opening it holds its lock.
    package func holds(in layout: SessionLayout) -> Bool { Self.status(of: layout) == store }

    /// Writes the file. Without it, the next service opens the session once.
    func write(to layout: SessionLayout) {
        let totals = [totals.paused, totals.succeeded, totals.failed, totals.cancelled].map(Int64.init)
        let line =
            ([Self.format] + store + totals + [due?.microseconds ?? 0]).map(String.init).joined(separator: " ") + "\n"
        guard let file = try? Descriptor(opening: layout.rest, [.writing, .making, .emptied, .noLink]) else { return }
        try? file.write(Array(line.utf8))
    }

    private static func status(of layout: SessionLayout) -> [Int64]? {
        if Files.isThere(layout.store + "-wal") { return nil }
        guard let status = try? FileStatus(of: layout.store, followsLinks: false) else { return nil }
        return [Int64(bitPattern: status.identity.inode), status.size, status.modified]
    }
}
