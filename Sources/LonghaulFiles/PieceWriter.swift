package import LonghaulCore
import LonghaulSystem
import Synchronization

/// A ring of pieces between the network thread, which fills them, and a thread of its own, which writes them.
///
/// Both sides only count: pieces filled by one, pieces written by the other. It is `@unchecked Sendable` because each
/// piece belongs to one side at a time, which the two counters tell, and every other plain member to one side for good.
package final class PieceWriter: @unchecked Sendable {
    private static let pieceCount = 2
    /// What is worth a write of its own while there is nothing else to write.
    private static let worthwhile = 1 << 20
    /// What is written in any case, now and then: whole blocks.
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
    /// What of the present piece is filled: to be written.
    private var filling: Range<Int>

    // What both sides read.
    private let filled = Atomic(0)
    private let written = Atomic(0)
    private let length: Atomic<Int64>
    private let isEnding = Atomic(false)
    private let isAwaited = Atomic(false)
    private let failed = Mutex<TransferFailure?>(nil)

    /// Starts the thread; `nil` when there are as many as there may be, or the system has none left.
    ///
    /// - Parameters:
    ///   - budget: Asked for one writer, and given it back at the end.
    ///   - target: Open. It belongs to the writer until `onEnd`.
    ///   - onRoom: Called on the writer's thread after `awaitRoom`, and when it cannot write any more.
    ///   - onEnd: Called on the writer's thread once, as the last thing that it does.
    init?(
        target: PartialTarget, budget: WriterBudget, memory: DigestMemory, onRoom: @escaping @Sendable () -> Void,
        onEnd: @escaping @Sendable (PartialFile.End) -> Void
    ) {
        guard let count = budget.take() else { return nil }
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
        // An address in memory is as far from its block's begin as its offset in the file is.
        let begin = Int(target.length % Int64(PartialTarget.alignment))
        filling = begin..<begin
        // The thread holds its writer until it ends; `join` lets go of the thread.
        thread = try? EngineThread(named: "longhaul-write") { self.run() }
        if thread == nil { return nil }
    }

    deinit {
        pieces.release()
        budget.giveBack()
    }

    /// The end of what is in the file.
    package var writtenLength: Int64 { length.load(ordering: .acquiring) }

    package var failure: TransferFailure? { failed.withLock { $0 } }
}

// For the network thread.
extension PieceWriter {
    /// The free part of the piece that is being filled; `nil` when every piece waits to be written.
    package func room() -> UnsafeMutableRawBufferPointer? {
        guard free > 0 else { return nil }
        let piece = filled.load(ordering: .relaxed) % Self.pieceCount
        return UnsafeMutableRawBufferPointer(
            start: pieces[piece] + filling.upperBound, count: pieces.size - filling.upperBound)
    }

    /// Counts bytes put into `room()`, and hands a full piece on.
    package func fill(_ count: Int) {
        filling = filling.lowerBound..<filling.upperBound + count
        if filling.upperBound == pieces.size { handOn() }
    }

    /// Copies bytes in; `false` when not all of them find room, and none is taken then.
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

    /// Hands on a piece that is not full, if the writer waits for one: long pieces are for bytes that come faster than they
    /// can be written. Others would be lost for long if the process dies.
    ///
    /// - Parameter count: So many bytes are worth it, a whole block or more.
    package func offer(from count: Int = PieceWriter.worthwhile) {
        let number = filled.load(ordering: .relaxed)
        guard written.load(ordering: .acquiring) == number, filling.count >= count else { return }
        // The next piece begins at a block of the file.
        let tail = filling.upperBound % PartialTarget.alignment
        let (piece, next) = (number % Self.pieceCount, (number + 1) % Self.pieceCount)
        filling = filling.lowerBound..<filling.upperBound - tail
        pieces[next].copyMemory(from: pieces[piece] + filling.upperBound, byteCount: tail)
        handOn()
        filling = 0..<tail
    }

    /// Asks for `onRoom` once there is room again for so many bytes, no more than a piece. `false` when there is now.
    package func awaitRoom(for count: Int) -> Bool {
        isAwaited.store(true, ordering: .sequentiallyConsistent)
        if free < count, failure == nil { return true }
        // Taken back, unless the writer was faster: then a call comes that finds nothing to do.
        isAwaited.store(false, ordering: .relaxed)
        return false
    }

    /// Hands on what is left. Then `onEnd` comes.
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

    /// Whether `onRoom` is still to come.
    package var isWaitedFor: Bool { isAwaited.load(ordering: .relaxed) }

    /// How many bytes find room now.
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

// For its thread.
extension PieceWriter {
    private func run() {
        var isLast = false
        while !isLast {
            wake.take()
            // Read first: all that was handed on before the end is seen then.
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

    /// After a failure what comes is dropped: it could only leave a hole.
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

/// Pieces of memory of one size, and which part of each is to be written.
private struct PieceMemory {
    /// How long a piece is, in bytes.
    let size: Int
    private let pages: HugePages
    private let parts: UnsafeMutablePointer<Range<Int>>

    /// `nil` when there is no memory. It is held until `release`.
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

    /// Where a piece begins.
    subscript(piece: Int) -> UnsafeMutableRawPointer { pages.start + piece * size }

    func setPart(_ part: Range<Int>, of piece: Int) { parts[piece] = part }

    func part(of piece: Int) -> UnsafeRawBufferPointer {
        UnsafeRawBufferPointer(start: self[piece] + parts[piece].lowerBound, count: parts[piece].count)
    }
}
