import Glibc
import LonghaulCore
@testable import TestSupport
import Testing

@Suite struct ProcessTests {
    @Test func outputErrorsAndStatusAreKept() throws {
        var call = ProgramCall("/bin/sh", ["-c", "cat; echo oops >&2; exit 3"])
        call.input = Array("hello".utf8)
        let result = try call.run()
        #expect(result.ending == .exited(3))
        #expect(result.output == "hello")
        #expect(result.errorOutput == "oops\n")
    }

    @Test func aProgramThatIsNotThereIsAnError() {
        #expect(throws: TransferFailure.self) { try ProgramCall("/no/such/program").run() }
    }

    @Test func aTimeLimitEndsTheWait() throws {
        #expect(throws: TimedOut.self) { try ProgramCall("/bin/cat", ["/dev/zero"]).run(limit: .milliseconds(1)) }
    }

    @Test func aProgramCanBeKilled() throws {
        let child = try ChildProcess(ProgramCall("/bin/sleep", ["1000"]))
        child.signal(SIGKILL)
        #expect(try child.waitForEnd() == .killed(signal: SIGKILL))
    }

    @Test func underATerminalAProgramSeesItsSizeAndInput() throws {
        var call = ProgramCall("/bin/sh", ["-c", "stty size; test -t 1 && read word && echo got $word"])
        call.terminal = (columns: 77, rows: 20)
        let child = try ChildProcess(call)
        try child.waitForOutput(containing: "20 77")
        child.type("hello\n")
        #expect(try child.waitForEnd() == .exited(0))
        #expect(child.output.contains("got hello"))
    }

    @Test func aProgramDiesWithTheThreadThatStartedIt() throws {
        let started = Mailbox<Int32>()
        startThread {
            started.append(ProgramCall("/bin/sleep", ["1000"]).spawn((input: 0, output: 1, error: 2)))
        }
        var status: Int32 = 0
        let child = try started.next()
        #expect(waitpid(child, &status, 0) == child)
        #expect(status & 0x7F == SIGKILL)
    }

    @Test func theBuiltProgramsAreFoundAndRun() throws {
        #expect(Product.missing == nil)
        #expect(try Product().longhaul("--version").ending != .killed(signal: SIGKILL))
    }

    @Test func theProcessesOfAHomeAreFound() throws {
        let product = try Product()
        let call = ProgramCall("/bin/sleep", ["1000"], environment: product.environment)
        let child = try ChildProcess(call)
        #expect(product.processes == [child.processID])
        child.signal(SIGKILL)
        try child.waitForEnd()
        #expect(product.processes.isEmpty)
    }
}
