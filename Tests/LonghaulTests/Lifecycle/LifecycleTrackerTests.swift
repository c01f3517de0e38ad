import Testing

@testable import Longhaul

@Suite struct LifecycleTrackerTests {
    private let deadline = ContinuousClock.now + .seconds(5)

    @Test func everyStateTransitionReportsItsEvents() {
        let told: [LifecycleState: [LifecycleState: [LifecycleEvent]]] = [
            .inactive: [
                .inactive: [], .active: [.didBecomeActive], .background: [.didEnterBackground],
                .terminating: [.willTerminate(deadline: deadline)],
            ],
            .active: [
                .inactive: [.willResignActive], .active: [], .background: [.willResignActive, .didEnterBackground],
                .terminating: [.willTerminate(deadline: deadline)],
            ],
            .background: [
                .inactive: [.willEnterForeground], .active: [.willEnterForeground, .didBecomeActive], .background: [],
                .terminating: [.willTerminate(deadline: deadline)],
            ],
            .terminating: [.inactive: [], .active: [], .background: [], .terminating: []],
        ]
        for state in LifecycleState.allCases {
            for next in LifecycleState.allCases {
                #expect(state.events(to: next, deadline: deadline) == told[state]?[next], "\(state) to \(next)")
            }
        }
    }

    @Test func anObserverIsDoneWhenItAsksForTheNextEvent() {
        var board = LifecycleTracker()
        let observer = board.addObserver()
        #expect(board.isSettled)
        #expect(board.enter(.background, deadline: deadline) == [observer])
        #expect(!board.isSettled)
        #expect(board.nextEvent(observer) == .didEnterBackground)
        #expect(!board.isSettled)
        #expect(board.nextEvent(observer) == nil)
        #expect(board.isSettled)
    }

    @Test func anObserverThatLeavesIsNotWaitedFor() {
        var board = LifecycleTracker()
        let observer = board.addObserver()
        _ = board.enter(.terminating, deadline: deadline)
        #expect(!board.isSettled)
        board.removeObserver(observer)
        #expect(board.isSettled)
        #expect(board.deadline == deadline)
    }

    @Test func aDelayHoldsTheEndBackAndNothingElse() {
        var board = LifecycleTracker()
        board.openLease()
        _ = board.enter(.background, deadline: deadline)
        #expect(board.isSettled)
        _ = board.enter(.terminating, deadline: deadline)
        #expect(!board.isSettled)
        board.closeLease()
        #expect(board.isSettled)
    }

    @Test func theEndIsAnnouncedOnce() {
        var board = LifecycleTracker()
        let observer = board.addObserver()
        _ = board.enter(.terminating, deadline: deadline)
        #expect(board.enter(.terminating, deadline: deadline + .seconds(9)).isEmpty)
        #expect(board.enter(.active, deadline: deadline).isEmpty)
        #expect(board.deadline == deadline)
        #expect(board.nextEvent(observer) == .willTerminate(deadline: deadline))
        #expect(board.nextEvent(observer) == nil)
    }
}
