import LonghaulCore
import Synchronization
import Testing

@testable import LonghaulCommand

struct QueuePlaceTests {
    private func priority(_ place: String, of words: String...) async -> (Int32, Int?) {
        let test = TestWorld(
            ScriptedService { state in
                state.transfers = (1...3).map { number in
                    var transfer = snapshot(UInt64(number), .waiting(Waiting(.turn, since: start)))
                    transfer.priority = [7, -3, 1_000][number - 1]
                    return transfer
                }
            })
        let status = await test.run(list: ["set", "--priority", place] + words)
        return (status, test.service.state.withLock { $0.adjustments.first?.priority })
    }

    @Test func priorityIsApplied() async {
        #expect(await priority("5", of: id(1).description) == (0, 5))
        #expect(await priority("-5", of: "--all") == (0, -5))
        #expect(await priority("0", of: id(1).description, id(2).description) == (0, 0))
    }

    @Test(arguments: [["5"], ["high", "00000001"], ["9999999", "00000001"], []])
    func incompletePriorityIsRefused(words: [String]) async {
        let test = TestWorld()
        #expect(await test.run(list: ["set", "--priority"] + words) == 2)
    }
}
