import LonghaulCore
import LonghaulIPC
import Testing

@testable import LonghaulCommand

/// A command in a hint works when it is pasted, even for a transfer of another session.
struct HintTests {
    private let photos = SessionID("org.example.photos")!

    /// In each state, and waiting for each reason.
    private var transfers: [TransferSnapshot] {
        let unauthorized = TransferFailure(
            .credentialsRequired, "The server needs a password", advice: "give one", origin: .status(401))
        let waiting = Waiting.Reason.allCases.map { TransferState.waiting(Waiting($0, since: start, failure: .noHost)) }
        let others: [TransferState] = [
            .running(.receiving), .awaitingResponse, .paused, .succeeded, .failed(.noHost), .failed(unauthorized),
            .cancelled,
        ]
        return (waiting + others).enumerated().map { index, state in
            var transfer = snapshot(UInt64(index + 1), state)
            if case .waiting(let waiting) = state, waiting.reason == .turn { transfer.turnLimit = .heldHost }
            return transfer
        }
    }

    @Test(arguments: ["list", "show", "doctor", "watch", "retry"])
    func eachHintNamesItsSession(command: String) async {
        let test = TestWorld(
            ScriptedService { [photos, transfers] in
                $0.sessions = [SessionSummary(id: photos, trouble: nil, totals: SessionTotals())]
                $0.elsewhere[photos] = transfers
                for transfer in transfers {
                    $0.details[transfer.id] = TransferDetail(
                        snapshot: transfer, headers: [], response: nil, lastFailure: nil, restarts: 0)
                }
                $0.watches = [
                    ScriptedService.Watch(updates: [WatchUpdate(changed: transfers, removed: [])], ending: .serviceGone)
                ]
            })
        if command == "list" {
            _ = await test.run("list", "--session", "\(photos)")
        } else {
            for transfer in transfers { _ = await test.run(command, "--session", "\(photos)", "\(transfer.id)") }
        }
        let hints = (test.printed + test.said).split(separator: "\n").flatMap {
            $0.split(separator: "longhaul ").dropFirst()
        }
        #expect(!hints.isEmpty)
        for hint in hints where !Self.isForAll(hint) {
            #expect(hint.contains("--session \(photos)"), "longhaul \(hint)")
        }
    }

    /// Each hint names a command and options that exist.
    @Test(arguments: ["list", "show", "doctor", "watch"])
    func eachHintCanBeRead(command: String) async throws {
        let test = TestWorld(
            ScriptedService { [transfers] in
                $0.transfers = transfers
                for transfer in transfers {
                    $0.details[transfer.id] = TransferDetail(
                        snapshot: transfer, headers: [], response: nil, lastFailure: nil, restarts: 0)
                }
            })
        for operands in command == "list" ? [[]] : transfers.map({ ["\($0.id)"] }) {
            _ = await test.run(list: [command] + operands)
        }
        let text = (test.printed + test.said).replacing(/\n +/, with: " ")
        let hints = text.matches(of: /longhaul ([a-z-]+(?: [^\s().,;:]+)*)/).map { String($0.1) }
        #expect(!hints.isEmpty)
        for hint in hints where Command.named(String(hint.prefix { $0 != " " })) != nil {
            let (command, rest) = try Program(world: test.world()).command(in: HabitRow.words(of: hint))
            #expect(throws: Never.self, "longhaul \(hint)") {
                try Arguments(parsing: rest, options: command.options)
            }
        }
    }

    /// Commands that concern all sessions need no session.
    private static func isForAll(_ hint: Substring) -> Bool {
        ["conditions ", "service "].contains { hint.hasPrefix($0) }
    }
}
