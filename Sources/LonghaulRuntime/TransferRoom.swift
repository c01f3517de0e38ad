import LonghaulCore
import LonghaulSystem
import Synchronization

/// How many transfers may run at once in a process, over all its sessions: each needs descriptors, and without one left
/// nobody gets in. A person may have chosen fewer. What is free is divided by `SlotShare`.
package final class TransferRoom: Sendable {
    /// What a session may always have of what the process can carry: with all slots taken by others it would not move at all.
    static let leastForEach = 4
    /// Slots beyond what the process can carry, for transfers that start beyond limits. Their descriptors come from the reserve.
    static let spare = 4

    private struct State {
        var claims: [Int: SlotShare.Claim] = [:]
        var lastLease = 0
        /// What a person chose.
        var chosen: Int?
    }

    package let capacity: Int
    /// How many descriptors the process may have.
    package let descriptors: Int
    private let state = Mutex(State())

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
            return TransferFailure(.invalidArgument, "A limit must be a number from 1 to 10000.")
        }
        // The others are bounded by the numbers in all; a number of streams that nobody chose is kept within the room.
        let most = max(limits.total, limits.chosenStreams ?? 0)
        guard most > capacity, most != max(earlier.total, earlier.chosenStreams ?? 0) else { return nil }
        return TransferFailure(
            .invalidArgument,
            "At most \(capacity) transfers can run at once here: the process can have \(descriptors) open files and "
                + "connections, a transfer uses up to \(DescriptorBudget.perTransfer), and some are reserved for clients. "
                + "Choose \(capacity) or fewer, or raise the limit (ulimit -Hn, LimitNOFILE=) and restart the service."
        )
    }

    /// A person wants so many at once, in all sessions together; `nil` as many as the process can carry.
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

    /// Takes one more; `false` when there is none, which is remembered until the session settles.
    fileprivate func take(_ lease: Int, beyond held: Int) -> Bool {
        state.withLock { state in
            let others = state.claims.lazy.filter { $0.key != lease }.map(\.value)
            // A number that somebody chose holds for everybody.
            let isOwed = state.chosen == nil && held < Self.leastForEach
            let room = min(capacity, state.chosen ?? .max)
            let isGranted = isOwed || SlotShare.mayTake(held, beside: others, of: room)
            state.claims[lease] = SlotShare.Claim(held: isGranted ? held + 1 : held, isWaiting: !isGranted)
            return isGranted
        }
    }

    /// Takes one more of all that are free and of the spare ones, even if other sessions wait. A number that was chosen
    /// holds, except for transfers that the user started.
    fileprivate func takeBeyondShare(_ lease: Int, beyond held: Int, _ standing: TurnStanding) -> Bool {
        state.withLock { state in
            let taken = held + state.claims.lazy.filter { $0.key != lease }.map(\.value.held).reduce(0, +)
            let chosen = standing == .started ? nil : state.chosen
            guard taken < min(capacity + Self.spare, chosen ?? .max) else { return false }
            state.claims[lease] = SlotShare.Claim(held: held + 1)
            return true
        }
    }

    /// How many transfers may run at once.
    fileprivate var count: Int { state.withLock { min(capacity, $0.chosen ?? .max) } }

    fileprivate func settle(_ lease: Int, at held: Int, isWaiting: Bool) {
        state.withLock { $0.claims[lease] = SlotShare.Claim(held: held, isWaiting: isWaiting) }
    }
}

/// The slots that one session holds of a room. It belongs to the session's thread; what is left of it goes back with it.
final class SlotLease {
    private let room: TransferRoom
    private let number: Int
    private var held = 0
    private var isRefused = false
    /// What the room knows of that.
    private var isToldToWait = false

    init(_ room: TransferRoom) {
        self.room = room
        number = room.open()
    }

    deinit { room.close(number) }

    /// Takes what is missing to so many; `false` when the room has no more for this session.
    func grow(to count: Int) -> Bool {
        isRefused = false
        while held < count {
            isRefused = !room.take(number, beyond: held)
            isToldToWait = isRefused
            if isRefused { return false }
            held += 1
        }
        return true
    }

    /// The same for a transfer that starts beyond limits, after `grow` was refused.
    func growBeyondShare(to count: Int, _ standing: TurnStanding) -> Bool {
        while held < count {
            guard room.takeBeyondShare(number, beyond: held, standing) else { return false }
            held += 1
        }
        return true
    }

    /// How many transfers of all sessions may run at once.
    var roomCount: Int { room.count }

    /// Nobody waits for what was refused.
    func wantNothing() { isRefused = false }

    /// Gives all of them back, for good or until there is something to do again.
    func giveBack() {
        wantNothing()
        settle(0)
    }

    /// Holds just so many, also where the room has not as many: what runs, runs.
    func settle(_ count: Int) {
        guard count != held || isRefused != isToldToWait else { return }
        held = count
        isToldToWait = isRefused
        room.settle(number, at: count, isWaiting: isRefused)
    }
}
