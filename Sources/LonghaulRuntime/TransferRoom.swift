import LonghaulCore
import LonghaulSystem
import Synchronization

/// How many transfers may run at once in a process, over all its sessions: each needs descriptors, and without one left
/// nobody gets in.
package final class TransferRoom: Sendable {
    /// What a session may always have: with all slots taken by others it would not move at all.
    static let leastForEach = 4

    package let capacity: Int
    /// How many descriptors the process may have.
    package let descriptors: Int
    private let taken = Atomic(0)

    package init(capacity: Int, descriptors: Int) {
        self.capacity = capacity
        self.descriptors = descriptors
    }

    /// As the limit of this process allows, as it is when this is asked for first.
    package static let process: TransferRoom = {
        let budget = DescriptorBudget(limit: ThisProcess.descriptorLimit)
        return TransferRoom(capacity: budget.transfers, descriptors: budget.limit)
    }()

    /// Why a session cannot have these limits; `nil` when it can.
    func refusal(of limits: SessionLimits, after earlier: SessionLimits) -> TransferFailure? {
        let numbers = [limits.total, limits.perHost, limits.streams] + limits.perGroup.values
        if numbers.contains(where: { !(1...10_000).contains($0) }) {
            return TransferFailure(.invalidArgument, "A limit is a number from 1 to 10000.")
        }
        // The others are bounded by the numbers in all; a number of streams that nobody chose is kept within the room.
        let most = max(limits.total, limits.chosenStreams ?? 0)
        guard most > capacity, most != max(earlier.total, earlier.chosenStreams ?? 0) else { return nil }
        return TransferFailure(
            .invalidArgument,
            "No more than \(capacity) transfers can run at once here: the process may have \(descriptors) files and "
                + "connections open, a transfer takes up to \(DescriptorBudget.perTransfer), and some are kept for clients. "
                + "Choose \(capacity) or fewer, or let it have more (`ulimit -Hn`, `LimitNOFILE=`) and start it again."
        )
    }

    fileprivate func change(by difference: Int) -> Int {
        taken.add(difference, ordering: .relaxed).newValue
    }
}

/// The slots that one session holds of a room. It belongs to the session's thread; what is left of it goes back with it.
final class SlotLease {
    private let room: TransferRoom
    private var held = 0

    init(_ room: TransferRoom) {
        self.room = room
    }

    deinit { settle(0) }

    /// Takes what is missing to so many; `false` when the room has no more.
    func grow(to count: Int) -> Bool {
        guard count > held else { return true }
        let all = room.change(by: count - held)
        guard all <= room.capacity || count <= TransferRoom.leastForEach else {
            _ = room.change(by: held - count)
            return false
        }
        held = count
        return true
    }

    /// Holds just so many, also where the room has not as many: what runs, runs.
    func settle(_ count: Int) {
        guard count != held else { return }
        _ = room.change(by: count - held)
        held = count
    }
}
