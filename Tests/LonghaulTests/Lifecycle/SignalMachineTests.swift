import Glibc
import Testing

@testable import Longhaul

@Suite struct SignalMachineTests {
    private let start = ContinuousClock.now

    private func course(after inputs: SignalMachine.Input...) -> SignalMachine {
        var course = SignalMachine(gracePeriod: .seconds(5))
        for input in inputs { _ = course.handle(input, at: start) }
        return course
    }

    @Test(arguments: [SIGTERM, SIGINT, SIGHUP]) func anEndingSignalEndsTheProcessWhenNothingHoldsItBack(_ number: Int32)
    {
        var course = course()
        #expect(course.handle(.signal(number), at: start) == [.enter(.terminating)])
        #expect(course.alarm == start + .seconds(5))
        #expect(course.handle(.timePassed, at: start + .seconds(4)) == [])
        #expect(course.handle(.readyToEnd, at: start + .seconds(4)) == [.end(number)])
    }

    @Test func theDeadlineEndsWhatIsStillGoingOn() {
        var course = course(after: .signal(SIGTERM))
        #expect(course.handle(.timePassed, at: start + .seconds(5)) == [.end(SIGTERM)])
    }

    @Test func aSecondInterruptEndsAtOnceAndOtherSignalsDoNot() {
        for number in [SIGTERM, SIGHUP, SIGTSTP, SIGCONT] {
            var course = course(after: .signal(SIGTERM))
            #expect(course.handle(.signal(number), at: start) == [])
        }
        var course = course(after: .signal(SIGINT))
        #expect(course.handle(.signal(SIGINT), at: start) == [.end(SIGINT)])
    }

    @Test func stopSignalEntersBackgroundThenStopsThenReturns() {
        var course = course()
        #expect(course.handle(.signal(SIGTSTP), at: start) == [.enter(.background)])
        #expect(course.handle(.readyToStop, at: start) == [.stop(SIGTSTP), .enter(.active)])
        // The kernel sends it when the process continues.
        #expect(course.handle(.signal(SIGCONT), at: start) == [])
        #expect(course.alarm == nil)
    }

    @Test func aStopDoesNotWaitForSlowObservers() {
        var course = course(after: .signal(SIGTSTP))
        #expect(course.alarm == start + SignalMachine.timeToStop)
        #expect(course.handle(.timePassed, at: start) == [])
        #expect(
            course.handle(.timePassed, at: start + SignalMachine.timeToStop) == [.stop(SIGTSTP), .enter(.active)])
    }

    @Test func aStopThatIsTakenBackDoesNotHappen() {
        var course = course(after: .signal(SIGTSTP))
        #expect(course.handle(.signal(SIGCONT), at: start) == [.enter(.active)])
        #expect(course.handle(.readyToStop, at: start) == [])
    }

    @Test func theEndComesBeforeAStop() {
        var course = course(after: .signal(SIGTSTP))
        #expect(course.handle(.signal(SIGTERM), at: start) == [.enter(.terminating)])
        #expect(course.handle(.readyToStop, at: start) == [])
        #expect(course.handle(.readyToEnd, at: start) == [.end(SIGTERM)])
    }

    @Test func cancellingGivesTheSignalsBackButKeepsAPromiseThatWasMade() {
        var idle = course()
        #expect(idle.handle(.cancelled, at: start) == [.release])
        var stopping = course(after: .signal(SIGTSTP))
        #expect(stopping.handle(.cancelled, at: start) == [.stop(SIGTSTP), .enter(.active), .release])
        var ending = course(after: .signal(SIGTERM))
        #expect(ending.handle(.cancelled, at: start) == [])
        #expect(ending.handle(.timePassed, at: start + .seconds(5)) == [.end(SIGTERM)])
    }
}
