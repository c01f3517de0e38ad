import Glibc
import LonghaulCore
import TestSupport
import Testing

/// The sample program gets real signals.
@Suite(.serialized, .timeLimit(.minutes(5))) struct ProcessSignalsTests {
    /// Starts it with enough time for any work, however slow the machine is, by default.
    private func start(work: Duration, graceSeconds: Int = 120) async throws -> ChildProcess {
        let milliseconds = Int(work / .milliseconds(1))
        let arguments = ["\(milliseconds)", "\(graceSeconds)"]
        var call = ProgramCall("\(Product.directory)/LifecycleSample", arguments)
        call.leadsGroup = true
        let sample = try ChildProcess(call)
        try await sample.waitForOutput(containing: "first didBecomeActive")
        return sample
    }

    private func lines(_ sample: ChildProcess) -> [String] {
        sample.output.split(separator: "\n").map(String.init)
    }

    @Test func workOfTwoSecondsIsFinishedAndThenTheProcessEnds() async throws {
        let sample = try await start(work: .seconds(2))
        let begin = ContinuousClock.now
        sample.signal(SIGTERM)
        #expect(try await sample.waitForEnd() == .killed(signal: SIGTERM))
        let took = ContinuousClock.now - begin
        #expect(took >= .seconds(2), "\(took)")
        let facts = lines(sample)
        // Another observer is notified at the same time, and may print its line after the work has started.
        #expect(facts.filter { $0.hasPrefix("work") } == ["work begins", "work ends"])
        #expect(facts.filter { $0 == "first willTerminate" }.count == 1)
    }

    @Test func workOfAMinuteIsCutOffAtTheDeadline() async throws {
        let sample = try await start(work: .seconds(60), graceSeconds: 5)
        let begin = ContinuousClock.now
        sample.signal(SIGHUP)
        #expect(try await sample.waitForEnd() == .killed(signal: SIGHUP))
        let took = ContinuousClock.now - begin
        #expect(took >= .milliseconds(4_900), "\(took)")
        let facts = lines(sample)
        #expect(facts.contains("work begins") && !facts.contains("work ends"))
        // The main actor was never blocked: about a hundred ticks fit in; a loaded machine fits in fewer.
        let ticks = facts.drop { $0 != "first willTerminate" }.count { $0 == "tick" }
        #expect(ticks > 20, "\(ticks) ticks")
    }

    @Test func aSecondInterruptIsNotMadeToWait() async throws {
        let sample = try await start(work: .seconds(120))
        sample.signal(SIGINT)
        try await sample.waitForOutput(containing: "work begins")
        let begin = ContinuousClock.now
        sample.signal(SIGINT)
        #expect(try await sample.waitForEnd() == .killed(signal: SIGINT))
        #expect(ContinuousClock.now - begin < .seconds(60))
    }

    @Test func controlZNotifiesBeforeStopAndAfterContinue() async throws {
        let sample = try await start(work: .zero)
        sample.signal(SIGTSTP)
        #expect(try await sample.waitForStop() == SIGTSTP)
        try await sample.waitForOutput(containing: "didEnterBackground")
        #expect(!sample.output.contains("willEnterForeground"))
        sample.signal(SIGCONT)
        try await sample.waitForOutput(for: "two activations") { output in
            output.split(separator: "\n").filter { $0 == "first didBecomeActive" }.count == 2 ? () : nil
        }
        sample.signal(SIGTERM)
        #expect(try await sample.waitForEnd() == .killed(signal: SIGTERM))
        #expect(
            lines(sample).filter { $0.hasPrefix("first") }.map { $0.dropFirst(6) } == [
                "didBecomeActive", "willResignActive", "didEnterBackground", "willEnterForeground", "didBecomeActive",
                "willTerminate",
            ])
    }
}
