package import LonghaulCore
import Synchronization

/// A download's partial file as the network thread sees it: bytes are counted and buffered, then written here or by a
/// separate thread.
///
/// It is `@unchecked Sendable` because it has one owner at a time: the network thread, until it passes the file to a
/// file worker with a closing job and releases it.
package final class PartialFile: @unchecked Sendable {
    /// The state of a closed partial file.
    package struct End: Sendable {
        /// The bytes that are in the file; `nil` if it could not be opened.
        package var length: Int64?
        package var failure: TransferFailure?
    }

    /// The size of the pieces that are written; small enough for the processor's cache.
    package static let pieceSize = 256 << 10

    package let path: String
    /// The offset of this body's first byte.
    package let start: Int64
    package let target: PartialTarget
    /// Bytes of the body still to come; `nil` if its length is not known.
    package private(set) var missing: Int64?
    /// Bytes of this body that were accepted, written or not.
    package private(set) var taken: Int64 = 0
    /// The thread that writes, if there is one.
    package private(set) var writer: PieceWriter?
    private let pieceSize: Int
    private var piece = UnsafeMutableRawBufferPointer(start: nil, count: 0)
    private var gathered = 0
    /// Bytes of `taken` that were counted elsewhere.
    private var counted: Int64 = 0
    /// The end of its body; `nil` if that is not known.
    private let reach: Int64?
    /// Whether the file is read while it grows, so that nothing is buffered.
    package var isFollowed = false

    /// A body longer than one usual piece is buffered in pieces of `pieceSize`; shorter bodies are buffered whole.
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

    /// The end of the written bytes.
    package var length: Int64 { writer?.writtenLength ?? target.length }

    /// Whether other exchanges write to other ranges of the file.
    package var isShared: Bool { target.isShared.load(ordering: .relaxed) }

    /// Whether the next bytes must wait for the writer.
    package var isFull: Bool { writer.map { $0.isWaitedFor || $0.room() == nil } ?? false }

    /// Opens the file for writing at `start` and makes sure that there is space for the whole body.
    package func open() throws(TransferFailure) { try target.open(missing: missing) }

    /// Leaves the writing to a thread, before the first byte. Changes nothing if no thread is available.
    package func write(by writer: PieceWriter) {
        precondition(taken == 0 && target.descriptor != nil, "A file is opened, and has its writer, before its bytes.")
        self.writer = writer
    }

    /// The offset of the next byte.
    package var position: Int64 { start + taken }

    /// Returns the bytes accepted since the previous call.
    package func newlyTaken() -> Int64 {
        defer { counted = taken }
        return taken - counted
    }

    /// Whether the range ends before its body does.
    package var isCut: Bool {
        guard let reach, let missing else { return false }
        return position + missing < reach
    }

    /// The number of body bytes not accepted, needed or not; 0 if the length is not known.
    package var leftOut: Int64 { max((reach ?? 0) - position, 0) }

    /// Accepts nothing beyond this byte, which is no earlier than `position`.
    package func stop(at end: Int64) {
        missing = max(end - position, 0)
    }

    /// Accepts the next bytes of the body, at most `missing` of them. Returns the number accepted; `nil` if there is no
    /// room for them until the writer has made progress.
    package func append(_ bytes: UnsafeRawBufferPointer) throws(TransferFailure) -> Int? {
        let wanted = missing.map { Int(min($0, Int64(bytes.count))) } ?? bytes.count
        let used = UnsafeRawBufferPointer(rebasing: bytes.prefix(wanted))
        if let writer {
            guard writer.append(used) else { return nil }
        } else {
            try gather(used)
            if isFollowed { try flush() }
        }
        advance(wanted)
        return wanted
    }

    /// The buffer for the writer's next bytes, no longer than the rest of the body; `nil` if there is no room yet.
    package func room() -> UnsafeMutableRawBufferPointer? {
        guard let room = writer?.room() else { return nil }
        let wanted = Int(clamping: missing ?? .max)
        return UnsafeMutableRawBufferPointer(rebasing: room.prefix(wanted))
    }

    /// Counts bytes that were received into `room()`.
    package func received(_ count: Int) {
        writer?.fill(count)
        advance(count)
    }

    /// Whether a body that starts the file is complete, and none of it has been written.
    var isWholeInMemory: Bool {
        start == 0 && missing == 0 && target.descriptor == nil && writer == nil && gathered == taken
    }

    /// Gives up the buffer, which the caller deallocates.
    func takeMemory() -> UnsafeMutableRawBufferPointer {
        defer { piece = UnsafeMutableRawBufferPointer(start: nil, count: 0) }
        return piece
    }

    /// Writes the rest and remembers the digests, at the end of a file without a writer.
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

    private func advance(_ count: Int) {
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
            // Not before more bytes come: the last piece, often the only one, is written at the end by a file worker.
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
