import LonghaulClient
import LonghaulCore
import LonghaulIPC
import Testing

@testable import LonghaulCommand

@Suite struct ServiceCommandTests {
    @Test func statusStartsNothing() async {
        let test = TestWorld()
        var world = test.world()
        world.connect = { startsService throws(TransferFailure) in
            #expect(!startsService)
            throw .serviceAbsent
        }
        #expect(await Program(world: world).run(["service", "status"]) == 12)
        #expect(test.said.hasPrefix("longhaul: longhauld is not running.") && test.printed.isEmpty)
    }

    @Test(
        arguments: [
            ([], ""), ([0, 0], ""),
            ([1], "The stop interrupted 1 transfer, which resumes when the service starts again.\n"),
            ([2, 3], "The stop interrupted 5 transfers, which resume when the service starts again.\n"),
        ] as [([Int], String)])
    func stopReportsInterruptedTransfers(running: [Int], said: String) async {
        let test = TestWorld(
            ScriptedService {
                $0.sessions = running.map { count in
                    var totals = SessionTotals()
                    totals.running = count
                    return SessionSummary(id: .commandLine, trouble: nil, totals: totals)
                }
            })
        #expect(await test.run("service", "stop") == 0)
        #expect(test.said == said)
    }

    @Test func stopWithoutServiceSucceeds() async {
        let test = TestWorld()
        #expect(await Program(world: test.world(failingConnections: 0..<1)).run(["service", "stop"]) == 0)
        #expect(test.said == "The service is not running.\n")
    }
}
