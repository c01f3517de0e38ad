import LonghaulCore
import LonghaulIPC
import Synchronization
import Testing

@testable import LonghaulCommand

@Suite struct CompletionTests {
    private func complete(_ words: String..., prepare: (inout ScriptedService.State) -> Void = { _ in }) async
        -> [String]
    {
        let test = TestWorld(ScriptedService(prepare))
        return await Completion(world: test.world()).lines(words)
    }

    private func words(_ lines: [String]) -> [String] {
        lines.map { String($0.prefix { $0 != "\t" }) }
    }

    /// The table of commands is the only source: each of its entries must be here.
    @Test func eachCommandAndEachOptionIsOffered() async {
        #expect(Set(words(await complete(""))) == Set(Command.all.map(\.name) + ["help"]))
        for command in Command.all {
            let offered = words(await complete(command.name, "--"))
            #expect(Set(offered) == Set(command.listed.map { "--" + $0.long } + ["--help"]), "\(command.name)")
        }
        #expect(await complete("doc") == ["doctor\tDiagnose the service, or why transfers wait or failed"])
    }

    @Test func eachOptionWithChosenWordsOffersThem() async {
        #expect(await complete("download", "--if-key-exists", "") == ["keep", "replace"])
        #expect(await complete("list", "--state", "f") == ["failed"])
        #expect(await complete("list", "--state", "=", "f") == ["failed"])
        #expect(await complete("list", "--state=f") == ["--state=failed"])
        #expect(await complete("rules", "--metered", "y") == ["yes"])
    }

    @Test(arguments: [[], ["-b"], ["-b", "-d", "x"], ["https://h.example/a"], ["films.meta4"]])
    func optionsOfADownloadNeedNoCommand(before: [String]) async {
        let completion = Completion(world: TestWorld().world())
        #expect(words(await completion.lines(before + ["--limit"])) == ["--limit-rate"])
        let all = Set(words(await completion.lines(before + ["-"])))
        #expect(all == Set(Command.download.listed.map { "--" + $0.long } + ["--help"]))
        #expect(await completion.lines(before + ["-d", ""]) == [":directories"])
    }

    @Test func optionBeforeACommandBelongsToIt() async {
        #expect(words(await complete("-q", "upload", "--tu")) == ["--tus"])
        #expect(await complete("-o", "") == [":files"])
        #expect(await complete("--if-key-exists", "k") == ["keep"])
        #expect(await complete("curl", "--lim") == [], "curl has its own options")
    }

    @Test func filesAreLeftToTheShell() async {
        #expect(await complete("upload", "a") == [":files"])
        #expect(await complete("download", "-d", "") == [":directories"])
        #expect(await complete("download", "--cacert", "") == [":files"])
        #expect(await complete("download", "h") == [])
    }

    @Test func subcommandsAreOffered() async {
        #expect(await complete("service", "st") == ["status", "start", "stop"])
        #expect(await complete("conditions", "set", "network", "") == ["reachable", "none", "captive", "auto"])
        #expect(await complete("conditions", "set", "metered", "a") == ["auto"])
        #expect(await complete("conditions", "set", "li") == ["link"])
        #expect(await complete("conditions", "set", "link", "w") == ["wired", "wifi"])
        #expect(words(await complete("help", "lis")) == ["list"])
        #expect(await complete("help", "download", "") == ["all"])
        #expect(await complete("help", "list", "") == [])
        #expect(await complete("nonsense", "--over") == [])
    }

    @Test func transfersAreOfferedThatTheCommandIsFor() async {
        let prepare: @Sendable (inout ScriptedService.State) -> Void = { state in
            var keyed = snapshot(2, .paused, name: "b\u{1B}.iso")
            keyed.key = "backup"
            keyed.group = "films"
            state.transfers = [snapshot(1, name: "a.iso"), keyed, snapshot(3, .succeeded, name: "c.iso")]
        }
        #expect(words(await complete("pause", "", prepare: prepare)) == ["00000001"])
        #expect(words(await complete("resume", "", prepare: prepare)) == ["00000002", "backup"])
        #expect(words(await complete("remove", "", prepare: prepare)) == ["00000003"])
        #expect(words(await complete("show", "c", prepare: prepare)) == ["c.iso"])
        #expect(await complete("show", "b", prepare: prepare) == ["backup\tpaused b\u{FFFD}.iso"])
        #expect(await complete("resume", "--group", "", prepare: prepare) == ["films"])
    }

    @Test func aNameOfSeveralIsNotOfferedAndNumbersAre() async {
        let prepare: @Sendable (inout ScriptedService.State) -> Void = { state in
            state.transfers = [
                snapshot(7, .failed(.noHost), name: "a.txt"), snapshot(12, .succeeded, name: "a.txt"),
                snapshot(15, .failed(.noHost), name: "b.txt"), snapshot(16, .paused, name: "d"),
                snapshot(17, .succeeded, name: "d"),
            ]
        }
        #expect(words(await complete("show", "a", prepare: prepare)) == [])
        #expect(words(await complete("retry", "a", prepare: prepare)) == ["a.txt"])
        #expect(words(await complete("retry", "b", prepare: prepare)) == ["b.txt"])
        #expect(await complete("retry", "1", prepare: prepare) == ["15\tfailed b.txt"])
        #expect(Set(words(await complete("show", "1", prepare: prepare))) == ["12", "15", "16", "17"])
        #expect(words(await complete("resume", "d", prepare: prepare)) == ["d"])
    }

    @Test func sessionsAndTasksAreOffered() async throws {
        let photos = try #require(SessionID("org.example.photos"))
        let prepare: @Sendable (inout ScriptedService.State) -> Void = { state in
            state.sessions = [SessionSummary(id: photos, trouble: nil, totals: SessionTotals())]
            state.tasks = [BackgroundTaskStatus(identifier: "noon")]
        }
        #expect(await complete("list", "--session", "org", prepare: prepare) == ["org.example.photos"])
        #expect(await complete("session", "", prepare: prepare) == ["org.example.photos"])
        #expect(await complete("tasks", "run", "", prepare: prepare) == ["noon"])
    }

    @Test func aServiceThatIsNotThereIsSilence() async {
        let test = TestWorld()
        let completion = Completion(world: test.world(failingConnections: 0..<9))
        #expect(await completion.lines(["pause", ""]) == [])
    }
}
