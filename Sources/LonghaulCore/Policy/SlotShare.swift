/// Divides the slots of a process among its sessions: a free slot goes to the waiting session with the fewest.
///
/// No transfer is stopped for another session. So the first session keeps its slots until its transfers end. Each end
/// gives a slot to a waiting session with fewer, until all waiting sessions have the same number.
@usableFromInline package enum SlotShare {
    /// The slots of a session, and whether it waits for another one.
    @usableFromInline package struct Claim: Equatable, Sendable {
        @usableFromInline package var held: Int
        @usableFromInline package var isWaiting: Bool

        package init(held: Int = 0, isWaiting: Bool = false) {
            self.held = held
            self.isWaiting = isWaiting
        }
    }

    /// Returns whether a session that holds `own` slots may take one more of `capacity`: enough must remain for waiting
    /// sessions with fewer.
    @inlinable package static func mayTake(_ own: Int, beside others: some Sequence<Claim>, of capacity: Int) -> Bool {
        var free = capacity - own
        for other in others {
            free -= other.held
            if other.isWaiting, other.held < own { free -= own - other.held }
        }
        return free > 0
    }
}
