import LonghaulCore
import Synchronization

/// Disk space that was promised to partial files and is not allocated yet, by device: two downloads must not both count
/// on the same free bytes.
final class ReservedSpace: Sendable {
    /// Shared by all engines of the process. Other processes are not known; the space that they take reduces the free space.
    static let process = ReservedSpace()

    private let promised = Mutex<[UInt64: Int64]>([:])

    /// Promises bytes of a device, if its free space suffices for this promise and all earlier ones.
    ///
    /// - Parameter free: Called after the promise was recorded: space that is taken meanwhile is then counted twice at
    ///   worst, and never overlooked. `nil` means that the space is not counted there.
    /// - Returns: Whether the promise holds.
    func promise(_ count: Int64, on device: UInt64, free: () -> Int64?) -> Bool {
        let all = promised.withLock { promised in
            let (sum, isTooMuch) = promised[device, default: 0].addingReportingOverflow(count)
            if isTooMuch { return Int64?.none }
            promised[device] = sum
            return sum
        }
        guard let all else { return false }
        if let free = free(), all > free {
            giveBack(count, on: device)
            return false
        }
        return true
    }

    /// Returns bytes that were allocated, or are not needed any more.
    func giveBack(_ count: Int64, on device: UInt64) {
        promised.withLock { promised in
            guard let left = promised[device].map({ $0 - count }) else { return }
            promised[device] = left > 0 ? left : nil
        }
    }
}

/// The space of one partial file: promised for the whole body, and allocated ahead of the bytes, but never by more than
/// the bytes that have already arrived.
struct PartialFileSpace {
    /// The first allocation, and the minimum of each later one.
    private static let leastStep: Int64 = 1 << 20
    private static let longestStep: Int64 = 256 << 20

    private let room: ReservedSpace
    private let device: UInt64
    /// The start and end of the body.
    private let start: Int64
    private let end: Int64
    /// The end of the allocated space.
    private var taken: Int64
    private var promised: Int64

    /// Promises space up to `end`; `nil` if there is too little. `taken` is the end of the file's allocated space now.
    init?(_ room: ReservedSpace, device: UInt64, start: Int64, end: Int64, taken: Int64, free: () -> Int64?) {
        self.room = room
        self.device = device
        self.start = start
        self.end = end
        self.taken = min(max(taken, start), end)
        promised = end - self.taken
        guard room.promise(promised, on: device, free: free) else { return nil }
    }

    /// Returns the range to allocate before bytes are written up to `offset`; `nil` if it is allocated already.
    func step(before offset: Int64) -> Range<Int64>? {
        guard offset > taken, taken < end else { return nil }
        let ahead = min(max(taken - start, Self.leastStep), Self.longestStep)
        return taken..<min(max(offset, taken + ahead), end)
    }

    /// Records that space is allocated up to `offset`, and no longer promised.
    mutating func advance(takenTo offset: Int64) {
        let offset = min(offset, end)
        guard offset > taken else { return }
        room.giveBack(offset - taken, on: device)
        promised -= offset - taken
        taken = offset
    }

    /// Releases the promise: no more bytes will come.
    mutating func release() {
        room.giveBack(promised, on: device)
        promised = 0
        taken = end
    }
}
