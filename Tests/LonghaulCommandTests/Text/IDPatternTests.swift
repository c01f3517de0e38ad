import LonghaulCore
import LonghaulIPC
import Synchronization
import Testing

@testable import LonghaulCommand

struct IDPatternTests {
    private func find(
        _ words: String..., for command: Command, _ service: ScriptedService
    ) async throws -> [TransferID] {
        try await IDLookup.find(words, among: command.transfers, in: .commandLine, over: service)
    }

    private let known = TransferID("019a1b2c-3d4e-7f60-8123-456789abcdef")!

    @Test(arguments: [
        ("019a1b2c-3d4e-7f60-8123-456789abcdef", true), ("019A1B2C3D4E7F608123456789ABCDEF", true), ("019a", true),
        ("89abcdef", true), ("cdef", true), ("019a1b2c-3d", true), ("1b2c", false), ("89ab", true), ("89abcde", true),
        ("9abc", false), ("89abcde0", false),
    ])
    func aBeginningOrAnEndMatches(text: String, matches: Bool) throws {
        #expect(try #require(IDPattern(text)).matches(known) == matches)
    }

    @Test(arguments: ["", "abc", "xyzw", "+123", "019a1b2c-3d4e-7f60-8123-456789abcdef0"])
    func otherTextIsNoIdentifier(text: String) {
        #expect(IDPattern(text) == nil)
    }

    @Test func theShortFormIsTheEnd() throws {
        #expect(ShortID.text(known) == "89abcdef")
        #expect(try #require(IDPattern(ShortID.text(known))).matches(known))
        #expect(IDPattern(known.description)?.whole == known)
    }

    @Test func beginningOfTheShownDigitsNamesTransfer() async throws {
        let service = ScriptedService { $0.transfers = [snapshot(0x4B08_C508), snapshot(0x4B08_D000)] }
        #expect(try await find("4b08c", for: .show, service) == [id(0x4B08_C508)])
        await #expect {
            try await find("4b08", for: .show, service)
        } throws: { error in
            let message = (error as? TransferFailure)?.message ?? ""
            return message.contains("4b08c508 (big.iso") && message.contains("4b08d000 (big.iso")
        }
    }

    @Test func severalCandidatesAreListed() async {
        let service = ScriptedService { $0.transfers = [snapshot(0x1_0000_0001), snapshot(0x2_0000_0001)] }
        await #expect {
            try await find("00000001", for: .show, service)
        } throws: { error in
            let message = (error as? TransferFailure)?.message ?? ""
            return message.contains(id(0x1_0000_0001).description + " (big.iso, receiving), ")
                && message.contains(id(0x2_0000_0001).description)
        }
    }

    @Test func aKeyOrANameNamesATransfer() async throws {
        var keyed = snapshot(2, name: "b.iso")
        keyed.key = "00000001"
        let service = ScriptedService { [keyed] in
            $0.transfers = [
                snapshot(1, name: "a.iso"), keyed, snapshot(3, name: "c.iso"), snapshot(4, name: "c.iso"),
                snapshot(8, name: "e.iso"), snapshot(9, .succeeded, name: "e.iso"),
            ]
        }
        #expect(
            try await find("e.iso", for: .show, service) == [id(8)],
            "the other is over")
        #expect(
            try await find("a.iso", "b.iso", for: .show, service) == [id(1), id(2)])
        #expect(
            try await find("00000001", for: .show, service) == [id(2)],
            "a key is one's own")
        #expect(
            try await find("1", "4", for: .show, service) == [id(1), id(4)],
            "as lists have it")
        for word in ["c.iso", "", "d.iso", "5", "01"] {
            await #expect(throws: TransferFailure.self, "\(word)") {
                try await find(word, for: .show, service)
            }
        }
    }

    @Test func aNameMeansWhatTheCommandIsFor() async throws {
        let service = ScriptedService {
            $0.transfers = [
                snapshot(1, .failed(TransferFailure(.timedOut, "It took too long.")), name: "a.iso"),
                snapshot(2, .running(.receiving), name: "a.iso"), snapshot(3, .succeeded, name: "b.iso"),
                snapshot(4, .succeeded, name: "b.iso"), snapshot(5, .paused, name: "b.iso"),
            ]
        }
        for (command, name, meant) in [
            (ControlCommands.retry, "a.iso", 1), (ControlCommands.remove, "a.iso", 1),
            (ControlCommands.pause, "a.iso", 2), (.show, "a.iso", 2),
            (ControlCommands.resume, "b.iso", 5),
            (ControlCommands.pause, "b.iso", 5),
        ] as [(Command, String, UInt64)] {
            #expect(try await find(name, for: command, service) == [id(meant)], "\(command.name) \(name)")
        }
        await #expect(throws: TransferFailure.self, "two have ended") {
            try await find("b.iso", for: ControlCommands.remove, service)
        }
    }

    @Test func foreignTransferNamesItsSession() async throws {
        let photos = try #require(SessionID("org.example.photos"))
        let service = ScriptedService {
            $0.sessions = [SessionSummary(id: photos, trouble: nil, totals: SessionTotals())]
            $0.elsewhere[photos] = [snapshot(0x1234_5678)]
        }
        for (word, advice) in [("12345678", "--session org.example.photos"), ("87654321", "longhaul list --all")] {
            let failure = await #expect(throws: TransferFailure.self) {
                try await find(word, for: ControlCommands.retry, service)
            }
            #expect(failure?.message.contains(advice) == true)
        }
    }

    @Test func aWholeIdentifierNeedsNoLookUp() async throws {
        let service = ScriptedService()
        #expect(try await find(known.description, for: .show, service) == [known])
        #expect(service.state.withLock { $0.queries } == 0)
    }
}
