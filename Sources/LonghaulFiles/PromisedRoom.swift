import LonghaulCore
import Synchronization

/// Room on disks that was promised to partial files and not taken yet, by device: two downloads must not both count on the
/// same free bytes.
final class PromisedRoom: Sendable {
    /// For all engines of the process. Other processes are not known; what they take shows as free room that is gone.
    static let process = PromisedRoom()

    private let promised = Mutex<[UInt64: Int64]>([:])

    /// Promises bytes of a device, if what is free there suffices for this promise and all earlier ones.
    ///
    /// - Parameter free: Asked after the promise was noted: room that others take meanwhile is then counted twice
    ///   at worst, and never overlooked. `nil` means that the room is not counted there.
    /// - Returns: Whether the promise stands.
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

    /// The bytes were taken, or are not wanted any more.
    func giveBack(_ count: Int64, on device: UInt64) {
        promised.withLock { promised in
            guard let left = promised[device].map({ $0 - count }) else { return }
            promised[device] = left > 0 ? left : nil
        }
    }
}

/// The room of one partial file: promised for the whole body, and taken from the file system ahead of the bytes, but never
/// by more than has come already.
struct PartialRoom {
    /// What is taken at first, and at least each time.
    private static let leastStep: Int64 = 1 << 20
    private static let longestStep: Int64 = 256 << 20

    private let room: PromisedRoom
    private let device: UInt64
    /// Where the body begins, and where it ends.
    private let start: Int64
    private let end: Int64
    /// Up to there the file system has given the room.
    private var taken: Int64
    private var promised: Int64

    /// Promises room up to `end`; `nil` when there is not so much. `taken` is where the file's room ends now.
    init?(_ room: PromisedRoom, device: UInt64, start: Int64, end: Int64, taken: Int64, free: () -> Int64?) {
        self.room = room
        self.device = device
        self.start = start
        self.end = end
        self.taken = min(max(taken, start), end)
        promised = end - self.taken
        guard room.promise(promised, on: device, free: free) else { return nil }
    }

    /// What to take before bytes are written up to `offset`; `nil` when that room is there.
    func step(before offset: Int64) -> Range<Int64>? {
        guard offset > taken, taken < end else { return nil }
        let ahead = min(max(taken - start, Self.leastStep), Self.longestStep)
        return taken..<min(max(offset, taken + ahead), end)
    }

    /// The file's room ends there now, and is promised no longer.
    mutating func note(takenTo offset: Int64) {
        let offset = min(offset, end)
        guard offset > taken else { return }
        room.giveBack(offset - taken, on: device)
        promised -= offset - taken
        taken = offset
    }

    /// Nothing more comes.
    mutating func letGo() {
        room.giveBack(promised, on: device)
        promised = 0
        taken = end
    }
}
