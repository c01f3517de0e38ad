import LonghaulCore
import LonghaulSystem
import Synchronization
import Testing

@Suite struct ThreadTests {
    @Test func aThreadThatWaitsForAValueSeesItsChange() {
        let monitor = Monitor([Int]())
        let seen = Mutex([Int]())
        let thread = NativeThread {
            let taken = monitor.wait(until: nil, while: \.isEmpty) { $0 }
            seen.withLock { $0 = taken }
        }
        monitor.change { $0.append(5) }
        thread.join()
        #expect(seen.withLock { $0 } == [5])
    }

    @Test func aWaitEndsAtItsDate() {
        let monitor = Monitor(0)
        #expect(monitor.wait(until: SystemClock.wallTime() + .milliseconds(5), while: { $0 == 0 }) { $0 } == 0)
        #expect(monitor.wait(until: WallTime(seconds: 0), while: { $0 == 0 }) { $0 } == 0)
    }

    @Test func aSemaphoreLetsPassAsOftenAsItWasRaised() {
        let semaphore = Semaphore()
        let threads = (0..<3).map { _ in NativeThread { semaphore.wait() } }
        semaphore.raise(2)
        semaphore.raise()
        for thread in threads { thread.join() }
    }

    @Test func aSignalIsSeenByWhoeverPolls() throws {
        let signal = try WakeSignal()
        let wanted = [(descriptor: signal.descriptor.number, readiness: Readiness.readable)]
        #expect(PollSet.wait(wanted, milliseconds: 0) == [[]])
        signal.raise()
        #expect(PollSet.wait(wanted, milliseconds: 60_000) == [.readable])
        signal.clear()
        #expect(PollSet.wait(wanted, milliseconds: 0) == [[]])
    }

    @Test func aDescriptorThatIsNoneIsPassedOver() {
        #expect(PollSet.wait([(-1, .readable)], milliseconds: 0) == [[]])
    }

    @Test(arguments: [
        (Duration.zero, Int32(0)), (.seconds(-1), 0), (.nanoseconds(1), 1), (.milliseconds(1), 2),
        (.seconds(1 << 62), .max),
    ])
    func aWaitIsRoundedUp(_ duration: Duration, _ milliseconds: Int32) {
        #expect(PollSet.milliseconds(duration) == milliseconds)
    }

    @Test func childProgramReturnsOutputOrError() throws {
        let (output, status) = try ChildProgram.call(
            ["/bin/sh", "-c", "cat; exit 3"], Array("hello".utf8), limit: 100, withinMilliseconds: 60_000)
        #expect(String(decoding: output, as: UTF8.self) == "hello" && status == 3)
        #expect(throws: SystemError.tooMuch) {
            try ChildProgram.call(["/bin/sh", "-c", "echo hello"], [], limit: 3, withinMilliseconds: 60_000)
        }
        #expect(throws: SystemError.missing) {
            try ChildProgram.call(["/nowhere/at/all"], [], limit: 3, withinMilliseconds: 60_000)
        }
    }
}
