import LonghaulCore
import LonghaulSystem
import Synchronization

/// A ring of pieces between the network thread, which fills them, and a thread of its own, which writes them.
///
/// Both sides only count: pieces filled by one, pieces written by the other. It is `@unchecked Sendable` because each
/// piece belongs to one side at a time, which the two counters tell, and every other plain member to one side for good.
final class PieceWriter: @unchecked Sendable {
    private static let pieceCount = 2
    /// What is worth a write of its own while there is nothing else to write.
    private static let worthwhile = 1 << 20
    /// What is written in any case, now and then: whole blocks.
    static let least = PartialTarget.alignment

    private let target: PartialTarget
    private let budget: WriterBudget
    private let memory: DigestMemory
    private let onEnd: @Sendable (PartialFile.End) -> Void
    private let onRoom: @Sendable () -> Void
    private let bytes: UnsafeMutableRawPointer
    private let pages: HugePages
    private let pieceSize: Int
    /// Which part of each piece is to be written.
    private let parts: UnsafeMutablePointer<Range<Int>>
    private let wake = Semaphore()
    private var thread: EngineThread?

    // The network thread's side.
    /// Where the piece begins that is being filled, and how far it is.
    private var begin: Int
    private var fillLevel: Int

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
        guard let pages = HugePages(count) else {
            budget.giveBack()
            return nil
        }
        self.pages = pages
        bytes = pages.start
        pieceSize = pages.byteCount / Self.pieceCount
        self.budget = budget
        self.target = target
        self.memory = memory
        self.onRoom = onRoom
        self.onEnd = onEnd
        length = Atomic(target.length)
        // An address in memory is as far from its block's begin as its offset in the file is.
        begin = Int(target.length % Int64(PartialTarget.alignment))
        fillLevel = begin
        parts = .allocate(capacity: Self.pieceCount)
        parts.initialize(repeating: 0..<0, count: Self.pieceCount)
        // The thread holds its writer until it ends; `join` lets go of the thread.
        thread = try? EngineThread(named: "longhaul-write") { self.run() }
        if thread == nil { return nil }
    }

    deinit {
        parts.deallocate()
        pages.release()
        budget.giveBack()
    }

    /// The end of what is in the file.
    var writtenLength: Int64 { length.load(ordering: .acquiring) }

    var failure: TransferFailure? { failed.withLock { $0 } }
}

// For the network thread.
extension PieceWriter {
    /// The free part of the piece that is being filled; `nil` when every piece waits to be written.
    func room() -> UnsafeMutableRawBufferPointer? {
        guard free > 0 else { return nil }
        let piece = filled.load(ordering: .relaxed) % Self.pieceCount
        return UnsafeMutableRawBufferPointer(
            start: bytes + piece * pieceSize + fillLevel, count: pieceSize - fillLevel)
    }

    /// Counts bytes put into `room()`, and hands a full piece on.
    func fill(_ count: Int) {
        fillLevel += count
        if fillLevel == pieceSize { handOn() }
    }

    /// Copies bytes in; `false` when not all of them find room, and none is taken then.
    func append(_ source: UnsafeRawBufferPointer) -> Bool {
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
    func offer(from count: Int = PieceWriter.worthwhile) {
        let number = filled.load(ordering: .relaxed)
        guard written.load(ordering: .acquiring) == number, fillLevel - begin >= count else { return }
        // The next piece begins at a block of the file.
        let tail = fillLevel % PartialTarget.alignment
        let (piece, next) = (number % Self.pieceCount, (number + 1) % Self.pieceCount)
        fillLevel -= tail
        (bytes + next * pieceSize).copyMemory(from: bytes + piece * pieceSize + fillLevel, byteCount: tail)
        handOn()
        fillLevel = tail
    }

    /// Asks for `onRoom` once there is room again for so many bytes, no more than a piece. `false` when there is now.
    func awaitRoom(for count: Int) -> Bool {
        isAwaited.store(true, ordering: .sequentiallyConsistent)
        if free < count, failure == nil { return true }
        // Taken back, unless the writer was faster: then a call comes that finds nothing to do.
        isAwaited.store(false, ordering: .relaxed)
        return false
    }

    /// Hands on what is left. Then `onEnd` comes.
    func end() {
        if fillLevel > begin { handOn() }
        isEnding.store(true, ordering: .releasing)
        wake.raise()
    }

    /// Waits for the thread's end, after `end`.
    func join() {
        thread?.join()
        thread = nil
    }

    /// Whether `onRoom` is still to come.
    var isWaitedFor: Bool { isAwaited.load(ordering: .relaxed) }

    /// How many bytes find room now.
    private var free: Int {
        let waiting = filled.load(ordering: .relaxed) - written.load(ordering: .sequentiallyConsistent)
        return (Self.pieceCount - waiting) * pieceSize - fillLevel
    }

    private func handOn() {
        let piece = filled.load(ordering: .relaxed) % Self.pieceCount
        parts[piece] = begin..<fillLevel
        begin = 0
        fillLevel = 0
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
                let start = bytes + piece * pieceSize + parts[piece].lowerBound
                try target.write(UnsafeRawBufferPointer(start: start, count: parts[piece].count))
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
