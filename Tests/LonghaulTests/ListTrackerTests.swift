import LonghaulCore
import Testing

@testable import Longhaul

/// The changes that an observer gets when a list is reported again.
@Suite struct ListTrackerTests {
    private var tracker = ListTracker(.all)

    private func list(_ numbers: Int..., begins: Bool = true, completes: Bool = true) -> WatchUpdate {
        WatchUpdate(
            changed: numbers.map { .sample(Int64($0)) }, removed: [], beginsList: begins, completesList: completes)
    }

    @Test mutating func unlistedTransferIsRemoved() {
        let first = tracker.apply(list(1, 2, 3))
        #expect(first?.inserted.map(\.sequence) == [1, 2, 3] && first?.isInitial == true)
        let half = tracker.apply(list(1, completes: false))
        #expect(half == nil, "nothing is known to be gone before the end of the list")
        let change = tracker.apply(list(3, 4, begins: false))
        #expect(change?.removed == [TransferSnapshot.sample(2).id] && change?.isInitial == false)
        #expect(change?.inserted == [.sample(4)] && change?.updated.isEmpty == true)
    }

    @Test mutating func aListThatBeginsTwiceCountsFromTheSecondTime() {
        _ = tracker.apply(list(1, 2))
        _ = tracker.apply(list(1, completes: false))
        let change = tracker.apply(list(2))
        #expect(change?.removed == [TransferSnapshot.sample(1).id])
    }

    @Test mutating func anEmptyListTakesAllAway() {
        _ = tracker.apply(list(1, 2))
        let change = tracker.apply(list())
        #expect(change?.removed.count == 2)
    }
}
