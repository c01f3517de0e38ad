package import LonghaulCore
import Synchronization

/// A download's partial file as the network thread sees it: bytes are counted and gathered, then written here or by a
/// thread of their own.
///
/// It is `@unchecked Sendable` because it has one owner at a time: the network thread, until it hands the file to a
/// file worker with a closing job and lets go of it.
package final class PartialFile: @unchecked Sendable {
    /// How a partial file was left.
    package struct End: Sendable {
        /// The bytes that are in the file; `nil` when it could not be opened.
        package var length: Int64?
        package var failure: TransferFailure?
    }

    /// The size of the pieces that are written: one that stays in the processor's cache.
    package static let pieceSize = 256 << 10

    package let path: String
    /// Where this body's first byte lands.
    package let start: Int64
    package let target: PartialTarget
    /// Bytes of the body still to come; `nil` when its length is not known.
    package private(set) var missing: Int64?
    /// Bytes of this body that were taken, written or not.
    package private(set) var taken: Int64 = 0
    /// The thread that writes, if there is one.
    package private(set) var writer: PieceWriter?
    private let pieceSize: Int
    private var piece = UnsafeMutableRawBufferPointer(start: nil, count: 0)
    private var gathered = 0
    /// Bytes of `taken` that were counted elsewhere.
    private var counted: Int64 = 0
    /// Where its body ends; `nil` when that is not known.
    private let reach: Int64?
    /// Whether somebody reads the file while it grows, so that nothing is gathered.
    package var isFollowed = false

    /// A body that is longer than one usual piece is gathered in pieces of `pieceSize`, shorter ones are whole.
    package init(
        path: String, start: Int64, bodyLength: Int64?, digests: Set<Digest.Algorithm>,
        pieceSize: Int = PartialFile.pieceSize, isShared: Bool = false
    ) {
        self.pieceSize = pieceSize
        self.path = path
        self.start = start
        missing = bodyLength
        reach = bodyLength.map { start + $0 }
        target = PartialTarget(path: path, start: start, digests: digests, isShared: isShared)
    }

    deinit { piece.deallocate() }

    /// The end of what is written.
    package var length: Int64 { writer?.writtenLength ?? target.length }

    /// Whether others write to other ranges of it.
    package var isShared: Bool { target.isShared.load(ordering: .relaxed) }

    /// Whether the next bytes must wait for the writer.
    package var isFull: Bool { writer.map { $0.isWaitedFor || $0.room() == nil } ?? false }

    /// Opens the file for writing at `start` and makes sure that there is room for the whole body.
    package func open() throws(TransferFailure) { try target.open(missing: missing) }

    /// Leaves the writing to a thread, before the first byte. Without one to spare, nothing changes.
    package func write(by writer: PieceWriter) {
        precondition(taken == 0 && target.descriptor != nil, "A file is opened, and has its writer, before its bytes.")
        self.writer = writer
    }

    /// Where the next byte lands.
    package var position: Int64 { start + taken }

    /// Bytes that were taken since this was asked last.
    package func newlyTaken() -> Int64 {
        defer { counted = taken }
        return taken - counted
    }

    /// Whether it ends before its body does.
    package var isCut: Bool {
        guard let reach, let missing else { return false }
        return position + missing < reach
    }

    /// How much of the body is not taken, wanted or not; 0 where its length is not known.
    package var leftOut: Int64 { max((reach ?? 0) - position, 0) }

    /// Takes nothing beyond this byte, which is no earlier than `position`.
    package func stop(at end: Int64) {
        missing = max(end - position, 0)
    }

    /// Takes the next bytes of the body; at most `missing` of them are used. Returns how many were, or `nil` when there
    /// is no room for them before the writer has gone on.
    package func append(_ bytes: UnsafeRawBufferPointer) throws(TransferFailure) -> Int? {
        let wanted = missing.map { Int(min($0, Int64(bytes.count))) } ?? bytes.count
        let used = UnsafeRawBufferPointer(rebasing: bytes.prefix(wanted))
        if let writer {
            guard writer.append(used) else { return nil }
        } else {
            try gather(used)
            if isFollowed { try flush() }
        }
        note(wanted)
        return wanted
    }

    /// Where the writer's next bytes may be received, no more than the body has left; `nil` when there is no room yet.
    package func room() -> UnsafeMutableRawBufferPointer? {
        guard let room = writer?.room() else { return nil }
        let wanted = Int(clamping: missing ?? .max)
        return UnsafeMutableRawBufferPointer(rebasing: room.prefix(wanted))
    }

    /// Counts bytes that were received into `room()`.
    package func received(_ count: Int) {
        writer?.fill(count)
        note(count)
    }

    /// Whether nothing of a body that begins the file is in it, and all is here.
    var isWholeInMemory: Bool {
        start == 0 && missing == 0 && target.descriptor == nil && writer == nil && gathered == taken
    }

    /// Gives what was gathered away, to be deallocated.
    func takeMemory() -> UnsafeMutableRawBufferPointer {
        defer { piece = UnsafeMutableRawBufferPointer(start: nil, count: 0) }
        return piece
    }

    /// Writes the rest and remembers the digests: the end of a file without a writer.
    func finish(memory: DigestMemory) -> End {
        if isWholeInMemory, openIfPlaced(path, UnsafeRawBufferPointer(rebasing: piece.prefix(gathered))) != nil {
            memory.forget(path: path)
            return End(length: taken, failure: nil)
        }
        do throws(TransferFailure) {
            try open()
            try flush()
            try target.remember(in: memory)
            return End(length: length, failure: nil)
        } catch {
            return End(length: target.descriptor == nil ? nil : length, failure: error)
        }
    }

    private func note(_ count: Int) {
        taken += Int64(count)
        if let left = missing { missing = left - Int64(count) }
    }

    private func gather(_ bytes: UnsafeRawBufferPointer) throws(TransferFailure) {
        if piece.isEmpty {
            let left = max(missing ?? .max, 1)
            let size = left <= PartialFile.pieceSize ? Int(left) : pieceSize
            piece = .allocate(byteCount: size, alignment: PartialTarget.alignment)
        }
        var rest = bytes
        while !rest.isEmpty {
            // Not before more comes: the last piece, often the only one, is written at the end by a file worker.
            if gathered == piece.count { try flush() }
            let count = min(rest.count, piece.count - gathered)
            UnsafeMutableRawBufferPointer(rebasing: piece[gathered...]).copyMemory(
                from: UnsafeRawBufferPointer(rebasing: rest.prefix(count)))
            gathered += count
            rest = UnsafeRawBufferPointer(rebasing: rest.dropFirst(count))
        }
    }

    private func flush() throws(TransferFailure) {
        guard gathered > 0 else { return }
        try open()
        defer { gathered = 0 }
        try target.write(UnsafeRawBufferPointer(rebasing: piece.prefix(gathered)))
    }
}
