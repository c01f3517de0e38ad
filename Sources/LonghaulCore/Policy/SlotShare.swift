/// Divides the places of a process among its sessions: a place that is free is for the one that waits and has least.
///
/// Nothing that runs is stopped for another session. So a session that came first keeps what it has until its transfers end, and each end
/// gives a place to whoever waits with fewer, until all who want some have as many.
@usableFromInline package enum SlotShare {
    /// What a session has, and whether it was refused one more.
    @usableFromInline package struct Claim: Equatable, Sendable {
        @usableFromInline package var held: Int
        @usableFromInline package var isWaiting: Bool

        package init(held: Int = 0, isWaiting: Bool = false) {
            self.held = held
            self.isWaiting = isWaiting
        }
    }

    /// Whether a session that holds `own` may take one more of `capacity` places: enough are left for those who wait with fewer.
    @inlinable package static func mayTake(_ own: Int, beside others: some Sequence<Claim>, of capacity: Int) -> Bool {
        var free = capacity - own
        for other in others {
            free -= other.held
            if other.isWaiting, other.held < own { free -= own - other.held }
        }
        return free > 0
    }
}
