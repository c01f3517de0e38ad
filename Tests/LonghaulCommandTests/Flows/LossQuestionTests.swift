import LonghaulCore
import Synchronization
import Testing

@testable import LonghaulCommand

/// Commands that lose bytes prompt on a terminal, and only there.
struct LossQuestionTests {
    private func run(
        _ words: [String], onTerminal: Bool = true, answer: Bool = false, _ transfers: TransferSnapshot...
    ) async -> (said: String, controls: [TransferSelection]) {
        let test = TestWorld(ScriptedService { $0.transfers = transfers })
        test.confirmation.withLock { $0 = answer }
        #expect(await Program(world: test.world(canRedraw: onTerminal)).run(words) == 0)
        return (test.said, test.service.state.withLock { $0.controls })
    }

    @Test func cancelAsks() async {
        let moving = snapshot(1, done: 9 << 20)
        let refused = await run(["cancel", "1"], moving)
        #expect(
            refused.said == "big.iso will be cancelled and loses 9.0 MiB. Cancel? [y/N] \n" && refused.controls.isEmpty)
        let accepted = await run(["cancel", "1"], answer: true, moving)
        #expect(accepted.controls == [.ids([id(1)])])
        let all = await run(["cancel", "--all"], moving, snapshot(2, done: 1 << 20))
        #expect(all.said.hasPrefix("2 transfers will be cancelled and lose 10.0 MiB.") && all.controls.isEmpty)
    }

    @Test(arguments: ["-y", "-q", "--json"]) func optionsSkipTheQuestion(_ option: String) async {
        let answer = await run(["cancel", "1", option], snapshot(1, done: 9 << 20))
        #expect(!answer.said.contains("[y/N]") && answer.controls.count == 1)
    }

    @Test func noTerminalNoQuestion() async {
        let answer = await run(["cancel", "1"], onTerminal: false, snapshot(1, done: 9 << 20))
        #expect(!answer.said.contains("[y/N]") && answer.controls.count == 1)
    }

    @Test func emptyAnswerLosesNothing() {
        #expect(!Confirmation.means("", empty: false) && Confirmation.means("", empty: true))
        for empty in [true, false] {
            #expect(Confirmation.means("Y", empty: empty) && Confirmation.means("yes", empty: empty))
            #expect(!Confirmation.means("n", empty: empty) && !Confirmation.means("x", empty: empty))
        }
    }

    @Test func longQuestionIsWrapped() async {
        let name = String(repeating: "long ", count: 20)
        let refused = await run(["cancel", "1"], snapshot(1, name: name, done: 9 << 20))
        #expect(refused.said.split(separator: "\n").allSatisfy { $0.utf8.count < 80 })
        #expect(refused.said.hasSuffix("Cancel? [y/N] \n"))
    }

    @Test func removalOfPartialFilesAsks() async {
        let failed = snapshot(1, .failed(.noHost), done: 9 << 20)
        let refused = await run(["remove", "1"], failed)
        #expect(refused.said.contains("loses 9.0 MiB. Remove? [y/N]") && refused.controls.isEmpty)
        let harmless = await run(["remove", "1"], snapshot(1, .succeeded, done: 9 << 20))
        #expect(!harmless.said.contains("[y/N]") && harmless.controls.count == 1)
    }

    @Test func topAsksBeforeItRemovesPartialFiles() {
        var state = TopState(session: .commandLine, size: Console.Size(columns: 80, rows: 24))
        _ = state.handle(.ended([snapshot(1, .failed(.noHost), done: 9 << 20)]), now: start)
        _ = TopView.screen(&state, now: start)
        #expect(state.handle(.key(.character("d")), now: start).isEmpty)
        guard case .question = state.mode else { return #expect(Bool(false), "\(state.mode)") }
    }

    // retry

    private func retry(_ words: [String], onTerminal: Bool) async -> TestWorld {
        let test = TestWorld(
            ScriptedService {
                $0.transfers = [snapshot(1, .failed(.noHost))]
                $0.watches = [ScriptedService.Watch(updates: [update(snapshot(1, .succeeded))])]
            })
        #expect(await Program(world: test.world(canRedraw: onTerminal)).run(["retry", "1"] + words) == 0)
        return test
    }

    @Test func retryStaysOnTerminal() async {
        let test = await retry([], onTerminal: true)
        #expect(test.service.state.withLock { $0.watched } == [.ids([id(1)])])
        #expect(test.said.contains("downloaded big.iso"))
    }

    @Test(arguments: [(["-b"], true), (["-q"], true), (["--json"], true), ([], false)])
    func retryReturnsOtherwise(_ words: [String], _ onTerminal: Bool) async {
        let test = await retry(words, onTerminal: onTerminal)
        #expect(test.service.state.withLock { $0.watched }.isEmpty)
    }
}
