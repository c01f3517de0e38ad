import Longhaul
import Testing
import TestSupport

@Suite struct ProcessLifecycleTests {
    @Test(.timeLimit(.minutes(5))) func everyObserverSeesEveryEventInOrder() async {
        let lifecycle = ProcessLifecycle()
        let observers = (0..<3).map { _ in lifecycle.events() }
        for state in [LifecycleState.active, .background, .active, .terminating] { lifecycle.enter(state) }
        await withTaskGroup(of: Void.self) { group in
            for observer in observers {
                var seen: [LifecycleEvent] = []
                for await event in observer {
                    seen.append(event)
                    if case .willTerminate = event { break }
                }
                let deadline = lifecycle.deadline ?? .now
                #expect(
                    seen == [
                        .didBecomeActive, .willResignActive, .didEnterBackground, .willEnterForeground,
                        .didBecomeActive,
                        .willTerminate(deadline: deadline),
                    ])
            }
            group.cancelAll()
        }
        #expect(lifecycle.state == .terminating)
    }

    @Test(.timeLimit(.minutes(5))) func theEndWaitsForTheObserverAndForTheDelay() async {
        let lifecycle = ProcessLifecycle()
        let settled = Latch()
        let observer = lifecycle.events()
        await lifecycle.withTerminationDelay {
            lifecycle.enter(.terminating) {
                settled.open(); settled.pass()
            }
            var events = observer.makeAsyncIterator()
            #expect(await events.next(isolation: nil) != nil)
            #expect(settled.arrivals == 0)
            let reading = Task { await events.next(isolation: nil) }
            reading.cancel()
            #expect(await reading.value == nil)
            #expect(settled.arrivals == 0)
        }
        #expect(settled.arrivals == 1)
    }

    @Test func anObserverThatIsDroppedHoldsNothingBack() {
        let lifecycle = ProcessLifecycle()
        let settled = Latch()
        do {
            let forgotten = lifecycle.events()
            lifecycle.enter(.terminating) {
                settled.open(); settled.pass()
            }
            #expect(settled.arrivals == 0)
            _ = forgotten
        }
        #expect(settled.arrivals == 1)
    }

    @Test func theDeadlineIsTheGracePeriodAway() {
        let lifecycle = ProcessLifecycle(gracePeriod: .seconds(30))
        #expect(lifecycle.deadline == nil)
        let before = ContinuousClock.now
        let deadline = lifecycle.enter(.terminating)
        #expect(lifecycle.deadline == deadline)
        #expect(deadline >= before + .seconds(30))
        #expect(lifecycle.enter(.terminating) == deadline)
    }

    @Test(.timeLimit(.minutes(5))) func aDelayGivesBackWhatItsBodyThrows() async {
        struct Trouble: Error {}
        let lifecycle = ProcessLifecycle()
        await #expect(throws: Trouble.self) {
            try await lifecycle.withTerminationDelay { throw Trouble() }
        }
        let settled = Latch()
        lifecycle.enter(.terminating) {
            settled.open(); settled.pass()
        }
        #expect(settled.arrivals == 1)
    }
}
