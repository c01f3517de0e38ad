import LonghaulCore
import Synchronization
import Testing

@testable import LonghaulCommand

/// The transfers that names, states, and ages select.
struct SelectionTests {
    private static let day: Int64 = 86_400

    /// One transfer for each word, numbered by its position.
    private static let transfers: [TransferSnapshot] = {
        let states: [TransferState] = [
            .waiting(Waiting(.retry, since: start)), .running(.receiving), .running(.verifying), .awaitingResponse,
            .paused, .succeeded, .failed(.noHost), .cancelled,
        ]
        return states.enumerated().map { index, state in
            var transfer = snapshot(UInt64(index + 1), state, name: "file-\(index + 1)")
            if state.isEnded { transfer.endedAt = start }
            return transfer
        }
    }()

    private func world(_ transfers: [TransferSnapshot] = Self.transfers) -> TestWorld {
        TestWorld(ScriptedService { $0.transfers = transfers })
    }

    private func aged(_ number: UInt64, _ state: TransferState, days: Int64, name: String = "a") -> TransferSnapshot {
        var transfer = snapshot(number, state, name: name)
        transfer.createdAt = start - .seconds(days * Self.day)
        if state.isEnded { transfer.endedAt = transfer.createdAt }
        return transfer
    }

    @Test(
        arguments: [
            ("waiting", [1]), ("running", [2, 3]), ("receiving", [2]), ("verifying", [3]), ("awaitingResponse", [4]),
            ("awaiting response", [4]), ("Awaiting-Response", [4]), ("paused", [5]), ("succeeded", [6]), ("done", [6]),
            ("FINISHED", [6]), ("failed,cancelled", [7, 8]), ("paused,failed", [5, 7]), ("canceled", [8]),
        ] as [(String, [UInt64])]) func stateWordsSelect(_ words: String, _ numbers: [UInt64]) async
    {
        let test = world()
        #expect(await test.run("list", "--state", words, "--json") == 0)
        let shown = Self.transfers.filter { test.printed.contains(#""id":"\#($0.id)""#) }.map(\.sequence)
        #expect(shown == numbers.map { Int64($0) }, "\(test.said)")
    }

    @Test(arguments: ["fast", ",", ""]) func unknownStateIsRefused(_ word: String) async {
        let test = world()
        #expect(await test.run("list", "--state", word) == 2)
        #expect(test.said.contains("state"))
    }

    @Test(
        arguments: [
            (["remove", "--state", "succeeded"], [6]), (["remove", "--state", "failed,cancelled"], [7, 8]),
            (["retry", "--state", "failed"], [7]), (["cancel", "--state", "waiting,paused"], [1, 5]),
            (["pause", "--state", "receiving"], [2]), (["remove", "--older-than", "0"], [6, 7, 8]),
            (["cancel", "--older-than", "0", "--all"], [1, 2, 3, 4, 5]),
        ] as [([String], [UInt64])]) func commandsTakeStates(_ words: [String], _ numbers: [UInt64]) async
    {
        let test = world()
        #expect(await test.run(list: words) == 0, "\(test.said)")
        #expect(test.service.state.withLock { $0.controls } == [.ids(numbers.map(id))])
    }

    @Test func ageCountsFromTheEnd() async {
        var late = aged(1, .succeeded, days: 9)
        late.endedAt = start - .seconds(1)
        let test = world([late, aged(2, .succeeded, days: 8), aged(3, .failed(.noHost), days: 6)])
        #expect(await test.run("remove", "--older-than", "7d") == 0)
        #expect(test.service.state.withLock { $0.controls } == [.ids([id(2)])])
    }

    @Test func emptySelectionChangesNothing() async {
        let test = world([snapshot(1)])
        #expect(await test.run("remove", "--state", "failed") == 0)
        #expect(test.said == "No transfer was removed.\n")
        #expect(test.service.state.withLock { $0.controls }.isEmpty)
    }

    @Test(arguments: [
        ["cancel", "1", "--state", "failed"], ["cancel", "1", "--older-than", "1d"], ["cancel"],
        ["cancel", "--state", "fast"], ["cancel", "--older-than", "soon"],
    ]) func mixedSelectionIsRefused(_ words: [String]) async {
        let test = world()
        #expect(await test.run(list: words) == 2)
        #expect(test.service.state.withLock { $0.controls }.isEmpty)
    }

    // list

    @Test(
        arguments: [
            (["file-3"], [3]), (["FILE-3", "file-5"], [3, 5]), (["host.example", "--state", "paused"], [5]),
            (["-n", "3"], [6, 7, 8]), (["--older-than", "1d"], []), (["00000007"], [7]),
        ] as [([String], [UInt64])]) func listTakesNamesAndNumbers(_ words: [String], _ numbers: [UInt64]) async
    {
        for format in [[], ["--json"]] {
            let test = world()
            #expect(await test.run(list: ["list"] + words + format) == 0, "\(test.said)")
            let shown = Self.transfers.filter { test.printed.contains($0.name) }.map(\.sequence)
            #expect(shown == numbers.map { Int64($0) }, "\(test.printed)")
        }
    }

    @Test func listShowsActiveTransfersFirst() async {
        let test = world([snapshot(1, .succeeded, name: "old"), snapshot(2, name: "new")])
        #expect(await test.run("list") == 0)
        #expect(test.printedLines.map { $0.split(separator: " ").last } == ["NAME", "new", "old"])
    }

    @Test func listFoldsTransfersAfterOneDay() async {
        let transfers = [
            aged(1, .succeeded, days: 2, name: "past"), aged(2, .cancelled, days: 3, name: "older"),
            aged(3, .succeeded, days: 0, name: "today"), aged(4, .paused, days: 9, name: "live"),
        ]
        let test = world(transfers)
        #expect(await test.run("list") == 0)
        #expect(test.printed.contains("today") && test.printed.contains("live") && !test.printed.contains("past"))
        #expect(test.said == "2 more transfers ended earlier. Show them: longhaul list --all\n")
        let all = world(transfers)
        #expect(await all.run("list", "--all") == 0)
        #expect(all.printed.contains("older") && all.printed.contains("past") && all.said.isEmpty)
    }

    @Test func failedTransfersStayInTheList() async {
        let failed = (1...3).map { aged(UInt64($0), .failed(.noHost), days: 9, name: "bad-\($0).") }
        let transfers = failed + (4...60).map { aged(UInt64($0), .succeeded, days: 0, name: "good-\($0).") }
        for format in [[], ["--json"]] {
            let test = world(transfers)
            #expect(await test.run(list: ["list"] + format) == 0)
            #expect(failed.allSatisfy { test.printed.contains($0.name) }, "\(test.printed)")
            #expect(test.printed.contains("good-41.") && !test.printed.contains("good-40."))
            let hidden = "37 more transfers ended earlier. Show them: longhaul list --all"
            #expect(test.saidLines.first == (format.isEmpty ? hidden : nil))
        }
    }

    /// Returns the lines that a terminal of 80 columns and 24 rows shows, and all lines.
    private func screen(_ transfers: [TransferSnapshot], _ words: String...) async -> (shown: [String], all: [String]) {
        let test = world(transfers)
        var world = test.world()
        world.console.isOutputTerminal = true
        world.console.canRedraw = true
        #expect(await Program(world: world).run(["list"] + words) == 0)
        let all = (test.printed + test.said).split(separator: "\n", omittingEmptySubsequences: false).map(String.init)
        return (Array(all.suffix(24)), all)
    }

    @Test func runningAndFailedTransfersAreOnTheScreen() async {
        let ended = (1...200).map {
            aged(UInt64($0), $0 % 60 == 0 ? .failed(.noHost) : .succeeded, days: 0, name: "f\($0).")
        }
        let running = snapshot(201, name: "live.", done: 1 << 20, total: 4 << 20, rate: 1 << 20)
        let (shown, all) = await screen(ended + [running])
        #expect(all.count <= 24, "\(all)")
        #expect(["live.", "f60.", "f120.", "f180.", "f200."].allSatisfy { shown.joined().contains($0) })
        let queue = (202...300).map { snapshot(UInt64($0), .waiting(Waiting(.turn, since: start)), name: "q\($0).") }
        let (long, whole) = await screen(ended + [running] + queue)
        #expect(["live.", "f60.", "f120.", "f180."].allSatisfy { long.joined().contains($0) }, "\(long)")
        #expect(queue.allSatisfy { whole.joined().contains($0.name) }, "active transfers are never cut")
    }

    @Test func failuresThatDoNotFitAreCounted() async {
        let failed = (1...100).map { aged(UInt64($0), .failed(.noHost), days: 0, name: "f\($0).") }
        let (shown, all) = await screen(failed + [snapshot(101, name: "live.")])
        #expect(all.count <= 24 && shown.joined().contains("live.") && shown.joined().contains("f100."))
        #expect(shown.contains("92 more transfers failed. Show all: longhaul list --state failed"), "\(shown)")
        #expect(shown.contains("Retry all: longhaul retry --state failed"))
        #expect(await screen(failed, "--state", "failed").all.joined().contains("f1."), "a chosen list is complete")
    }

    @Test func terminalListHasTotal() async {
        let moving = (1...2).map { snapshot(UInt64($0), done: 50, total: 100, rate: 10) }
        #expect(await screen(moving).shown.contains("2 running; 50% of 200 B, 20 B/s, 0:05 left"))
        #expect(await screen(moving, "--group", "films").shown.contains("2 running; 50% of 200 B, 20 B/s, 0:05 left"))
        #expect(await !screen([moving[0]]).all.joined().contains("1 running"))
        let pipe = world(moving)
        #expect(await pipe.run("list") == 0)
        #expect(pipe.printedLines.count == 3 && pipe.said.isEmpty)
    }

    @Test func failureTakesOneLine() async {
        let failure = TransferFailure(
            .notFound, String(repeating: "long ", count: 40), advice: "check the URL", origin: .status(404))
        let test = world([snapshot(1, .failed(failure))])
        var world = test.world()
        world.console.isOutputTerminal = true
        #expect(await Program(world: world).run(["list"]) == 0)
        #expect(test.printedLines.count == 3 && test.printedLines[2].hasSuffix("…"))
        #expect(DisplayText.width(test.printedLines[2]) == 80)
    }

    @Test(arguments: ["history", "show", "doctor"]) func newestOfSeveralIsShown(_ command: String) async {
        let test = world([snapshot(1, .succeeded, name: "a"), snapshot(2, .succeeded, name: "a")])
        test.service.state.withLock { state in
            for transfer in state.transfers {
                state.details[transfer.id] = TransferDetail(
                    snapshot: transfer, headers: [], response: nil, lastFailure: nil, restarts: 0)
            }
        }
        #expect(await test.run(command, "a") == 0, "\(test.said)")
        let cancel = world([snapshot(1, name: "a"), snapshot(2, name: "a")])
        #expect(await cancel.run("cancel", "a") == 2, "a command that loses bytes does not guess")
    }
}
