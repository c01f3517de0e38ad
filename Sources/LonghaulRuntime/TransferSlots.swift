import LonghaulCore
import LonghaulSystem
import Synchronization

/// The number of transfers that may run at once in a process, over all its sessions. Each needs descriptors, and without a free one no
/// client can connect. The user may have chosen fewer. `SlotShare` divides the free slots.
package final class TransferSlots: Sendable {
    /// Slots that each session may always have, as far as the process has room, so that others cannot starve it.
    static let leastForEach = 4
    /// Slots beyond the capacity, for transfers that start beyond limits. Their descriptors come from the reserve.
    static let spare = 4

    private struct State {
        var claims: [Int: SlotShare.Claim] = [:]
        var lastLease = 0
        /// The user's limit.
        var chosen: Int?
    }

    package let capacity: Int
    /// The process's limit of descriptors.
    package let descriptors: Int
    private let state = Mutex(State())

    package init(capacity: Int, descriptors: Int) {
        self.capacity = capacity
        self.descriptors = descriptors
    }

    /// The room for this process's descriptor limit, as of the first access.
    package static let process: TransferSlots = {
        let budget = DescriptorBudget(limit: ThisProcess.descriptorLimit)
        return TransferSlots(capacity: budget.transfers, descriptors: budget.limit)
    }()

    /// Returns why a session cannot have these limits; `nil` if it can.
    func refusal(of limits: SessionLimits, after earlier: SessionLimits) -> TransferFailure? {
        let numbers = [limits.total, limits.perHost, limits.streams] + limits.perGroup.values
        if numbers.contains(where: { !(1...10_000).contains($0) }) {
            return TransferFailure(.invalidArgument, "A limit must be a number from 1 to 10000.")
        }
        // The total bounds the other limits; a default number of streams is kept within the room.
        let most = max(limits.total, limits.chosenStreams ?? 0)
        guard most > capacity, most != max(earlier.total, earlier.chosenStreams ?? 0) else { return nil }
        return TransferFailure(
            .invalidArgument,
            "At most \(capacity) transfers can run at once here: the process can have \(descriptors) open files and "
                + "connections, a transfer uses up to \(DescriptorBudget.perTransfer), and some are reserved for clients. "
                + "Choose \(capacity) or fewer, or raise the limit (ulimit -Hn, LimitNOFILE=) and restart the service."
        )
    }

    /// Sets the user's limit for all sessions together; `nil` for the capacity of the process.
    package func limit(to chosen: Int?) {
        state.withLock { $0.chosen = chosen }
    }

    fileprivate func open() -> Int {
        state.withLock { state in
            state.lastLease += 1
            state.claims[state.lastLease] = SlotShare.Claim()
            return state.lastLease
        }
    }

    fileprivate func close(_ lease: Int) {
        state.withLock { $0.claims[lease] = nil }
    }

    /// Takes one more slot. Returns `false` if there is none; the session then counts as waiting until it settles.
    fileprivate func acquire(_ lease: Int, beyond held: Int) -> Bool {
        state.withLock { state in
            let others = state.claims.lazy.filter { $0.key != lease }.map(\.value)
            // A limit set by the user applies to every session.
            let isOwed = state.chosen == nil && held < Self.leastForEach
            let room = min(capacity, state.chosen ?? .max)
            let isGranted = isOwed || SlotShare.mayTake(held, beside: others, of: room)
            state.claims[lease] = SlotShare.Claim(held: isGranted ? held + 1 : held, isWaiting: !isGranted)
            return isGranted
        }
    }

    /// Takes one of all free and spare slots, even if other sessions wait. The user's limit applies, except to transfers that the
    /// user started.
    fileprivate func takeBeyondShare(_ lease: Int, beyond held: Int, _ standing: TurnStanding) -> Bool {
        state.withLock { state in
            let taken = held + state.claims.lazy.filter { $0.key != lease }.map(\.value.held).reduce(0, +)
            let chosen = standing == .started ? nil : state.chosen
            guard taken < min(capacity + Self.spare, chosen ?? .max) else { return false }
            state.claims[lease] = SlotShare.Claim(held: held + 1)
            return true
        }
    }

    /// The number of transfers that may run at once.
    fileprivate var count: Int { state.withLock { min(capacity, $0.chosen ?? .max) } }

    fileprivate func hold(_ lease: Int, at held: Int, isWaiting: Bool) {
        state.withLock { $0.claims[lease] = SlotShare.Claim(held: held, isWaiting: isWaiting) }
    }
}

/// The slots that one session holds. It belongs to the session's thread, and its end returns the slots.
final class SlotLease {
    private let room: TransferSlots
    private let number: Int
    private var held = 0
    private var isRefused = false
    /// Whether the room has noted that.
    private var isToldToWait = false

    init(_ room: TransferSlots) {
        self.room = room
        number = room.open()
    }

    deinit { room.close(number) }

    /// Takes slots up to this count; `false` if the room has no more for this session.
    func grow(to count: Int) -> Bool {
        isRefused = false
        while held < count {
            isRefused = !room.acquire(number, beyond: held)
            isToldToWait = isRefused
            if isRefused { return false }
            held += 1
        }
        return true
    }

    /// Does the same for a transfer that starts beyond limits, after `grow` was refused.
    func growBeyondShare(to count: Int, _ standing: TurnStanding) -> Bool {
        while held < count {
            guard room.takeBeyondShare(number, beyond: held, standing) else { return false }
            held += 1
        }
        return true
    }

    /// The number of transfers of all sessions that may run at once.
    var roomCount: Int { room.count }

    /// Clears a refusal, because no transfer waits for a slot.
    func wantNothing() { isRefused = false }

    /// Returns all slots, because the session ends or has nothing to do.
    func giveBack() {
        wantNothing()
        hold(0)
    }

    /// Holds exactly this many slots, even beyond the room's count: running transfers continue.
    func hold(_ count: Int) {
        guard count != held || isRefused != isToldToWait else { return }
        held = count
        isToldToWait = isRefused
        room.hold(number, at: count, isWaiting: isRefused)
    }
}
