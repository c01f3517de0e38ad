import LonghaulCore
import Synchronization
import Testing

@testable import LonghaulCommand

struct AdjustCommandTests {
    private func run(_ words: String...) async -> (status: Int32, ScriptedService.State) {
        let test = TestWorld()
        let status = await test.run(list: words)
        return (status, test.service.state.withLock { $0 })
    }

    @Test(arguments: ["--all", "-a"]) func allTransfersAreMeant(all: String) async {
        let slower = await run("set-rate", "500k", all)
        #expect(slower.status == 0 && slower.1.controls == [.all])
        #expect(slower.1.adjustments == [TransferAdjustment(rateLimit: 500 << 10)])
        let anyway = await run("anyway", all)
        #expect(anyway.status == 0 && anyway.1.controls == [.all])
        #expect(anyway.1.adjustments == [TransferAdjustment(ignoresConditions: true)])
    }

    @Test func aGroupIsMeant() async {
        let anyway = await run("anyway", "--undo", "--group", "films")
        #expect(anyway.status == 0 && anyway.1.controls == [.group("films")])
        #expect(anyway.1.adjustments == [TransferAdjustment(ignoresConditions: false)])
    }

    @Test func oneWayOfChoosingIsNeeded() async {
        #expect(await run("anyway").status == 2)
        #expect(await run("anyway", "--all", "--group", "films").status == 2)
        #expect(await run("set-rate", "--all").status == 2)
        let unnamed = await run("cancel", "--group", "")
        #expect(unnamed.status == 2 && unnamed.1.controls.isEmpty)
    }
}
