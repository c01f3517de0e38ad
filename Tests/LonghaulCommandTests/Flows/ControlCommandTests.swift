import LonghaulCore
import Synchronization
import Testing

@testable import LonghaulCommand

/// The messages about transfers that are to be changed.
struct ControlCommandTests {
    private static func detail(_ transfer: TransferSnapshot) -> TransferDetail {
        TransferDetail(snapshot: transfer, headers: [], response: nil, lastFailure: nil, restarts: 0)
    }

    private func world(changed: Int) -> TestWorld {
        let transfers = [snapshot(1, .paused), snapshot(2)]
        return TestWorld(
            ScriptedService { state in
                state.transfers = transfers
                state.changed = changed
                for transfer in transfers { state.details[transfer.id] = Self.detail(transfer) }
            })
    }

    @Test func pausedTransferIsReportedAsPaused() async {
        let test = world(changed: 0)
        #expect(await test.run("pause", id(1).description) == 0)
        #expect(test.said == "00000001 big.iso: paused; resume with: longhaul resume 00000001\n")
    }

    /// A number alone would not show which of them was not changed.
    @Test func pauseListsEachTransferIfOneIsUnchanged() async {
        let test = world(changed: 1)
        #expect(await test.run("pause", id(1).description, id(2).description) == 0)
        #expect(test.said.contains("00000001 big.iso: paused; ") && test.said.contains("00000002 big.iso: "))
    }

    @Test func aChangeOfAllIsANumber() async {
        let test = world(changed: 1)
        #expect(await test.run("pause", id(2).description) == 0)
        #expect(test.said == "1 transfer paused.\n")
    }

    /// Other programs prompt before they end a transfer.
    @Test(arguments: ["cancel", "remove", "resume", "retry"], ["--yes", "-y"])
    func unconfirmedCommandsAcceptYes(command: String, yes: String) async {
        let test = world(changed: 1)
        #expect(await test.run(command, yes, id(1).description) == 0)
        #expect(test.service.state.withLock { $0.controls }.count == 1)
    }
}
