package import LonghaulCore
import LonghaulSystem
import Synchronization

/// A ring of pieces between the network thread, which fills them, and a separate thread, which writes them.
///
/// The two sides share only counters of the pieces filled and the pieces written. It is `@unchecked Sendable` because each piece belongs
/// to one side at a time, as the two counters show, and every other plain member always belongs to one side.
package final class PieceWriter: @unchecked Sendable {
    private static let pieceCount = 2
    /// The number of bytes that justify a write if there is nothing else to write.
    private static let worthwhile = 1 << 20
    /// The least number of bytes for a periodic write: one block.
    package static let least = PartialTarget.alignment

    private let target: PartialTarget
    private let budget: WriterBudget
    private let memory: DigestMemory
    private let onEnd: @Sendable (PartialFile.End) -> Void
    private let onRoom: @Sendable () -> Void
    private let pieces: PieceMemory
    private let wake = Semaphore()
    private var thread: EngineThread?

    // The network thread's side.
    /// The filled part of the current piece, which has to be written.
    private var filling: Range<Int>

    // Read by both sides.
    private let filled = Atomic(0)
    private let written = Atomic(0)
    private let length: Atomic<Int64>
    private let isEnding = Atomic(false)
    private let isAwaited = Atomic(false)
    private let failed = Mutex<TransferFailure?>(nil)

    /// Starts the thread; `nil` if the limit of threads is reached, or if the system cannot create one.
    ///
    /// - Parameters:
    ///   - budget: Supplies one writer, which is returned at the end.
    ///   - target: An open target. It belongs to the writer until `onEnd`.
    ///   - onRoom: Called on the writer's thread after `awaitRoom`, and when the writer fails.
    ///   - onEnd: Called on the writer's thread once, as its last action.
    init?(
        target: PartialTarget, budget: WriterBudget, memory: DigestMemory, onRoom: @escaping @Sendable () -> Void,
        onEnd: @escaping @Sendable (PartialFile.End) -> Void
    ) {
        guard let count = budget.allot() else { return nil }
        guard let pieces = PieceMemory(count, pieces: Self.pieceCount) else {
            budget.giveBack()
            return nil
        }
        self.pieces = pieces
        self.budget = budget
        self.target = target
        self.memory = memory
        self.onRoom = onRoom
        self.onEnd = onEnd
        length = Atomic(target.length)
        // The offset of an address in its block of memory equals the file offset's position in its block.
        let begin = Int(target.length % Int64(PartialTarget.alignment))
        filling = begin..<begin
        // The thread retains its writer until it ends; `join` releases the thread.
        thread = try? EngineThread(named: "longhaul-write") { self.run() }
        if thread == nil { return nil }
    }

    deinit {
        pieces.release()
        budget.giveBack()
    }

    /// The end of the bytes in the file.
    package var writtenLength: Int64 { length.load(ordering: .acquiring) }

    package var failure: TransferFailure? { failed.withLock { $0 } }
}

// Called by the network thread.
extension PieceWriter {
    /// The free part of the piece that is being filled; `nil` if every piece waits to be written.
    package func room() -> UnsafeMutableRawBufferPointer? {
        guard free > 0 else { return nil }
        let piece = filled.load(ordering: .relaxed) % Self.pieceCount
        return UnsafeMutableRawBufferPointer(
            start: pieces[piece] + filling.upperBound, count: pieces.size - filling.upperBound)
    }

    /// Counts bytes that were stored in `room()`, and submits a full piece.
    package func fill(_ count: Int) {
        filling = filling.lowerBound..<filling.upperBound + count
        if filling.upperBound == pieces.size { handOn() }
    }

    /// Copies bytes in. Returns `false`, and copies none, if there is not enough room for all of them.
    package func append(_ source: UnsafeRawBufferPointer) -> Bool {
        guard source.count <= free else { return false }
        var rest = source
        while !rest.isEmpty, let room = room() {
            let count = min(rest.count, room.count)
            room.copyMemory(from: UnsafeRawBufferPointer(rebasing: rest.prefix(count)))
            fill(count)
            rest = UnsafeRawBufferPointer(rebasing: rest.dropFirst(count))
        }
        offer()
        return true
    }

    /// Submits a piece that is not full if the writer is idle. Long pieces are for bytes that come faster than they can
    /// be written; slower bytes would stay in memory too long, and be lost if the process dies.
    ///
    /// - Parameter count: The least number of bytes that are worth a write, one block or more.
    package func offer(from count: Int = PieceWriter.worthwhile) {
        let number = filled.load(ordering: .relaxed)
        guard written.load(ordering: .acquiring) == number, filling.count >= count else { return }
        // The next piece starts at a block of the file.
        let tail = filling.upperBound % PartialTarget.alignment
        let (piece, next) = (number % Self.pieceCount, (number + 1) % Self.pieceCount)
        filling = filling.lowerBound..<filling.upperBound - tail
        pieces[next].copyMemory(from: pieces[piece] + filling.upperBound, byteCount: tail)
        handOn()
        filling = 0..<tail
    }

    /// Requests `onRoom` once there is room for the given number of bytes, at most one piece. `false` if there is room now.
    package func awaitRoom(for count: Int) -> Bool {
        isAwaited.store(true, ordering: .sequentiallyConsistent)
        if free < count, failure == nil { return true }
        // Withdraws the request. If the writer was faster, `onRoom` is called and has nothing to do.
        isAwaited.store(false, ordering: .relaxed)
        return false
    }

    /// Submits the remaining bytes. Then `onEnd` is called.
    package func end() {
        if !filling.isEmpty { handOn() }
        isEnding.store(true, ordering: .releasing)
        wake.raise()
    }

    /// Waits for the thread's end, after `end`.
    package func join() {
        thread?.join()
        thread = nil
    }

    /// Whether `onRoom` will still be called.
    package var isWaitedFor: Bool { isAwaited.load(ordering: .relaxed) }

    /// The number of bytes for which there is room now.
    private var free: Int {
        let waiting = filled.load(ordering: .relaxed) - written.load(ordering: .sequentiallyConsistent)
        return (Self.pieceCount - waiting) * pieces.size - filling.upperBound
    }

    private func handOn() {
        let piece = filled.load(ordering: .relaxed) % Self.pieceCount
        pieces.setPart(filling, of: piece)
        filling = 0..<0
        filled.add(1, ordering: .releasing)
        wake.raise()
    }
}

// Called by the writer's thread.
extension PieceWriter {
    private func run() {
        var isLast = false
        while !isLast {
            wake.wait()
            // Read first, so that everything submitted before the end is seen.
            isLast = isEnding.load(ordering: .acquiring)
            while written.load(ordering: .relaxed) < filled.load(ordering: .acquiring) { writeNext() }
        }
        var failure = failure
        if failure == nil {
            do throws(TransferFailure) {
                try target.remember(in: memory)
            } catch {
                failure = error
            }
        }
        onEnd(PartialFile.End(length: target.length, failure: failure))
    }

    /// Writes the next piece. After a failure, pieces are dropped: writing them would leave a hole.
    private func writeNext() {
        let number = written.load(ordering: .relaxed)
        let piece = number % Self.pieceCount
        if failure == nil {
            do throws(TransferFailure) {
                try target.write(pieces.part(of: piece))
            } catch {
                failed.withLock { $0 = error }
            }
            length.store(target.length, ordering: .releasing)
            if failure != nil { onRoom() }
        }
        written.store(number + 1, ordering: .sequentiallyConsistent)
        if isAwaited.exchange(false, ordering: .sequentiallyConsistent) { onRoom() }
    }
}

/// Memory for pieces of one size, and the part of each that has to be written.
private struct PieceMemory {
    /// The length of a piece in bytes.
    let size: Int
    private let pages: HugePages
    private let parts: UnsafeMutablePointer<Range<Int>>

    /// `nil` if there is no memory. It is held until `release`.
    init?(_ pageCount: Int, pieces: Int) {
        guard let pages = HugePages(pageCount) else { return nil }
        self.pages = pages
        size = pages.byteCount / pieces
        parts = .allocate(capacity: pieces)
        parts.initialize(repeating: 0..<0, count: pieces)
    }

    func release() {
        parts.deallocate()
        pages.release()
    }

    /// Returns the address of a piece.
    subscript(piece: Int) -> UnsafeMutableRawPointer { pages.start + piece * size }

    func setPart(_ part: Range<Int>, of piece: Int) { parts[piece] = part }

    func part(of piece: Int) -> UnsafeRawBufferPointer {
        UnsafeRawBufferPointer(start: self[piece] + parts[piece].lowerBound, count: parts[piece].count)
    }
}
