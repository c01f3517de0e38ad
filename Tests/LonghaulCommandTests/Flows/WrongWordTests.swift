import LonghaulCore
import Synchronization
import Testing

@testable import LonghaulCommand

/// Words that users of another command type.
struct WrongWordTests {
    private func world() -> TestWorld { TestWorld(ScriptedService { $0.transfers = [snapshot(1), snapshot(2)] }) }

    @Test(arguments: [
        (
            "request http://h.example/a GET",
            "A request is a method, a URL, and options. Type: longhaul request GET http://h.example/a"
        ),
        ("service stop now", "service stop does not take \"now\"."),
        ("list failed", "\"failed\" is a state. To list these transfers, type: longhaul list --state failed"),
        ("list done", "\"done\" is a state. To list these transfers, type: longhaul list --state done"),
        ("set-rate 1M 1", "longhaul set 1 --limit-rate 1M"),
        ("set-priority 1 first", "longhaul set 1 --priority first"),
        ("set 1 --background", "Did you mean --yield?"),
        ("-y 30 http://h.example/a", "type: longhaul http://h.example/a --stall-timeout 30"),
    ]) func wrongCommandLineSuggestsCorrection(line: String, sentence: String) async {
        let test = world()
        #expect(await test.run(list: line.split(separator: " ").map(String.init)) == 2)
        #expect(test.said.contains(sentence), "\(test.said)")
    }

    /// Text after a command would be pasted with it.
    @Test func commandToTypeIsTheEndOfTheLine() {
        let failure = TransferFailure(.invalidArgument, "Type: longhaul upload . http://h.example/a")
        ErrorLine.$showsCode.withValue(true) {
            #expect(ErrorLine.text(failure).hasSuffix(" . http://h.example/a"))
            #expect(ErrorLine.text(TransferFailure(.invalidArgument, "No")).hasSuffix("No. [invalidArgument]"))
        }
    }

    @Test func duplicateIDsCountOnce() async {
        let test = world()
        #expect(await test.run("pause", "1", "00000001", "2") == 0)
        #expect(test.service.state.withLock { $0.controls } == [.ids([id(1), id(2)])])
    }

    @Test func theWordOfTheTableIsAState() async {
        let test = TestWorld(ScriptedService { $0.transfers = [snapshot(1, .succeeded), snapshot(2, .cancelled)] })
        #expect(await test.run("list", "--state", "done") == 0)
        #expect(test.printed.contains("00000001") && !test.printed.contains("00000002"))
    }

    @Test(arguments: [["pause", "--all"], ["resume", "--group", "films"]])
    func unchangedSelectionReportsNoCount(words: [String]) async {
        let test = TestWorld(ScriptedService { $0.changed = 0 })
        #expect(await test.run(list: words) == 0)
        #expect(test.said == "No transfer was \(words[0])d.\n")
    }

    @Test(arguments: [["--state", "failed"], ["--group", "films"]])
    func aPartThatIsEmptyIsNotTheWhole(words: [String]) async {
        let test = TestWorld(ScriptedService { $0.transfers = [] })
        #expect(await test.run(list: ["list"] + words) == 0)
        #expect(test.said == "No such transfers. Show all: longhaul list --all\n")
    }

    /// A condition that nothing reports is named when the user sets it, for a transfer, later, and for a session.
    @Test(arguments: [
        ["http://h/a", "-b", "--no-metered"], ["http://h/a", "-b", "--link", "wifi"], ["set", "1", "--no-metered"],
        ["rules", "--metered", "no"], ["rules", "--link", "wifi"],
    ])
    func unreportedConditionIsNamed(words: [String]) async {
        let sentence: String =
            words.contains("wifi") ? "reports the kind of link" : "reports whether the network is metered"
        let test = TestWorld(ScriptedService { $0.transfers = [snapshot(1)] })
        _ = await test.run(list: words)
        #expect(test.said.contains(sentence) && test.said.contains("Install NetworkManager"), "\(test.said)")
        let known = TestWorld(
            ScriptedService {
                $0.transfers = [snapshot(1)]
                $0.conditions.measured = Conditions(isExpensive: false, link: .wired)
            })
        _ = await known.run(list: words)
        #expect(!known.said.contains("no source"), "\(known.said)")
    }

    @Test func emptyTaskListIsReported() async {
        let test = TestWorld()
        #expect(await test.run("tasks", "list") == 0)
        #expect(test.said.hasSuffix(" has no background tasks.\n"))
        #expect(await test.run("tasks", "list", "--json") == 0)
        #expect(test.saidLines.count == 1)
    }
}
