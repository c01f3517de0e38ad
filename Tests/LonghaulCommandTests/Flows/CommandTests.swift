import LonghaulCore
import LonghaulIPC
import Synchronization
import Testing

@testable import LonghaulCommand

struct CommandTests {
    private let photos: SessionSummary

    init() throws {
        photos = SessionSummary(
            id: try #require(SessionID("org.example.photos")), trouble: nil, totals: SessionTotals())
    }

    @Test func sessionCommandExplainsFailedAppLaunch() async throws {
        var status = WakeStatus()
        status.registration = WakeRegistration(.dbus(appID: "org.example.Photos"))
        status.pendingEvents = 2
        status.hold = .backingOff
        status.nextWakeAt = WallTime(seconds: 1_800_000_000)
        status.record.total = 3
        status.record.unanswered = 3
        status.record.lastWakeAt = WallTime(seconds: 1_799_999_000)
        status.record.outcome = .missing
        status.record.message = "org.example.Photos is not installed.\u{1B}[2J"
        let script: @Sendable (inout ScriptedService.State) -> Void = { [status, photos] in
            $0.wake = status
            $0.info.lastWills = 1
            $0.sessions = [photos]
        }
        let test = TestWorld(ScriptedService(script))
        #expect(await test.run("session", "org.example.photos") == 0)
        #expect(test.printed.contains("2 events not acknowledged"))
        #expect(test.printed.contains("the session bus: org.example.Photos, action transfers-finished"))
        #expect(test.printed.contains("org.example.Photos is not installed.") && !test.printed.contains("\u{1B}"))
        #expect(test.printed.contains("3 in total, 3 unanswered"))
        #expect(test.printed.contains("1 request if the app is killed"))
        let asJSON = TestWorld(ScriptedService(script))
        #expect(await asJSON.run("session", "org.example.photos", "--json") == 0)
        #expect(asJSON.service.state.withLock { $0.statuses } == 1)
        #expect(
            asJSON.printed.contains(#""hold":"backingOff""#) && asJSON.printed.contains(#""lastWills":1"#)
                && asJSON.printed.contains(#""lastOutcome":"missing""#))
        #expect(await TestWorld().run("session", "../etc") == 2)
    }

    @Test func unknownSessionSuggestsSimilarName() async throws {
        let test = TestWorld(ScriptedService { [photos] in $0.sessions = [photos] })
        #expect(await test.run("session", "org.example.photo") == 13)
        #expect(test.printed.isEmpty)
        #expect(test.said.hasSuffix("There is no session org.example.photo. Did you mean org.example.photos?\n"))
        #expect(await TestWorld().run("session") == 0, "the command line has its own session")
    }

    @Test func tasksAreListedWithWhatHoldsThemBack() async throws {
        var noon = BackgroundTaskStatus(identifier: "noon")
        noon.request = .appRefresh("noon", repeats: .daily(hour: 12))
        noon.nextDate = WallTime(seconds: 1_800_000_000)
        noon.hold = .throttled
        noon.last = BackgroundTaskResult(
            number: 3, startedAt: WallTime(seconds: 1), endedAt: WallTime(seconds: 1_799_999_000), outcome: .overran,
            message: "It did not return.\u{1B}[2J")
        let others = ["x", "y", "z"].map { BackgroundTaskStatus(identifier: $0) }
        var throttle = BackgroundTaskThrottle()
        throttle.strikes = 2
        throttle.until = WallTime(seconds: 1_800_000_100)
        let script: @Sendable (inout ScriptedService.State) -> Void = { [noon, throttle] in
            $0.tasks = [noon] + others
            $0.throttle = throttle
        }
        let test = TestWorld(ScriptedService(script))
        #expect(await test.run("tasks", "list", "--session", "org.example.storms") == 0)
        #expect(test.printed.contains("daily 12:00") && test.printed.contains("exceeded its time limit"))
        #expect(test.printed.contains("Throttled until") && !test.printed.contains("\u{1B}"))
        #expect(["x", "y", "z"].allSatisfy { test.printedLines.contains($0) })
        let asJSON = TestWorld(ScriptedService(script))
        #expect(await asJSON.run("tasks", "list", "noon", "--json") == 0)
        #expect(asJSON.printedLines.count == 1)
        #expect(asJSON.printed.contains(#""hold":"throttled""#) && asJSON.printed.contains(#""lastOutcome":"overran""#))
    }

    @Test(arguments: [
        (BackgroundTaskHold?.none, WakeHold?.none, "noon is running."),
        (.app, .waking, "noon runs when its app, which is starting, has started."),
        (.app, .notRegistered, "noon runs when its app starts; the app has not registered how to start it."),
        (.turn, .none, "noon runs when another handler has returned."),
    ])
    func runningTaskReportsItsHold(hold: BackgroundTaskHold?, wake: WakeHold?, line: String) async {
        let test = TestWorld(
            ScriptedService { state in
                var noon = BackgroundTaskStatus(identifier: "noon")
                noon.nextDate = start
                noon.hold = hold
                state.tasks = [noon]
                state.wake.hold = wake
            })
        #expect(await test.run("tasks", "run", "noon") == 0)
        #expect(test.saidLines == [line])
    }

    @Test func tasksAreRunAndCancelledByTheirIdentifiers() async {
        let test = TestWorld()
        #expect(await test.run("tasks", "run", "noon", "dusk") == 0)
        #expect(await test.run("tasks", "cancel", "noon") == 0)
        #expect(await test.run("tasks", "cancel", "--all") == 0)
        #expect(test.service.state.withLock { $0.forcedTasks } == ["noon", "dusk"])
        #expect(test.service.state.withLock { $0.cancelledTasks } == ["noon", nil])
        let wrong: [[String]] = [
            ["tasks"], ["tasks", "go"], ["tasks", "run"], ["tasks", "cancel"], ["tasks", "run", "a b"],
            ["tasks", "list", "--all"], ["tasks", "cancel", "a", "--all"],
        ]
        for words in wrong {
            let test = TestWorld()
            #expect(await test.run(list: words) == 2, "\(words)")
        }
    }

    @Test func damagedQueueIsReportedOnce() async throws {
        var hurt = SessionSummary(id: .commandLine, trouble: nil, totals: SessionTotals())
        hurt.trouble = TransferFailure(.storeDamaged, "The queue was set aside as /a/b\u{1B}.")
        let script: @Sendable (inout ScriptedService.State) -> Void = { [hurt, photos] in
            $0.sessions = [hurt, photos]
            $0.transfers = [snapshot(1)]
            $0.watches = [ScriptedService.Watch(updates: [update(snapshot(1, .succeeded))])]
        }
        let notice = "longhaul: The queue was set aside as /a/b?. For details, run longhaul doctor."
        for words in [["list", "--json"], ["watch", "--json"], ["download", "--json", "http://host.example/a"]] {
            let test = TestWorld(ScriptedService(script))
            #expect(await test.run(list: words) == (words[0] == "list" ? 14 : 0), "only list fails for the damage")
            #expect(test.saidLines.count { $0.hasPrefix(notice.prefix(40)) } == 1, "\(words)")
            #expect(test.printedLines.allSatisfy { $0.hasPrefix("{") })
        }
        let session = TestWorld(ScriptedService(script))
        #expect(await session.run("session") == 14)
        #expect(session.saidLines.count == 1)
        #expect(session.service.state.withLock { $0.statuses } == 1)
        for words in [["list", "--session", "org.example.photos"], ["session", "org.example.photos"], ["doctor"]] {
            let test = TestWorld(ScriptedService(script))
            _ = await test.run(list: words)
            #expect(!test.said.contains("set aside"), "\(words)")
        }
    }

    @Test func damagedSettingsAreReportedInEverySession() async throws {
        let script: @Sendable (inout ScriptedService.State) -> Void = { [photos] in
            $0.sessions = [photos]
            $0.trouble = TransferFailure(.storeDamaged, "The settings were damaged.")
        }
        for words in [["list"], ["list", "--session", "org.example.photos"], ["session"], ["service", "status"]] {
            let test = TestWorld(ScriptedService(script))
            #expect(await test.run(list: words) == 14, "\(words)")
            #expect((test.said + test.printed).contains("The settings were damaged."), "\(words)")
        }
        let json = TestWorld(ScriptedService(script))
        _ = await json.run("service", "status", "--json")
        #expect(json.printed.contains(#""trouble":{"code":"storeDamaged""#))
        let doctor = TestWorld(ScriptedService(script))
        #expect(await doctor.run("doctor") == 12)
        #expect(doctor.printed.contains("longhaul session longhaul.command-line --acknowledge-damage"))
    }

    /// The list itself reads the damaged page.
    @Test func damageThatACommandMeetsIsReported() async {
        let test = TestWorld(
            ScriptedService {
                $0.trouble = TransferFailure(.storeDamaged, "The queue was damaged.")
                $0.meetsTroubleLater = true
                $0.transfers = [snapshot(1)]
            })
        #expect(await test.run("list") == 14)
        #expect(test.said.contains("The queue was damaged.") && !test.printed.isEmpty)
    }

    @Test func acknowledgedDamageIsReportedOnceMore() async {
        var hurt = SessionSummary(id: .commandLine, trouble: nil, totals: SessionTotals())
        hurt.trouble = TransferFailure(.storeDamaged, "The queue was set aside as /a/b.")
        let test = TestWorld(ScriptedService { [hurt] in $0.sessions = [hurt] })
        #expect(await test.run("session", "--acknowledge-damage") == 0)
        #expect(test.said == "longhaul: The queue was set aside as /a/b. For details, run longhaul doctor.\n")
        #expect(test.service.state.withLock { $0.acknowledged } == [.commandLine])
    }

    @Test func everyCommandHasHelp() async {
        for command in Command.all {
            let test = TestWorld()
            #expect(await test.run("help", command.name) == 0)
            #expect(await test.run(command.name, "--help") == 0)
            #expect(test.printed.contains("Usage: \(command.usage)"))
        }
    }

    @Test(arguments: [
        ["https://host.example/a"], ["-q", "https://host.example/a"], ["get", "https://host.example/a"],
    ])
    func aURLAloneIsDownloaded(words: [String]) async {
        let test = TestWorld(
            ScriptedService { $0.watches = [ScriptedService.Watch(updates: [update(snapshot(1, .succeeded))])] })
        #expect(await test.run(list: words) == 0, "\(test.said)")
        let spec = test.service.state.withLock { $0.submitted.first }
        #expect(spec?.url == "https://host.example/a" && spec?.method == "GET")
    }

    @Test func commonAliasesAreUnderstood() async {
        for word in ["ls", "ps"] {
            let test = TestWorld(ScriptedService { $0.transfers = [snapshot(1, name: "a.iso")] })
            #expect(await test.run(word) == 0)
            #expect(test.printed.contains("a.iso"))
        }
        #expect(await TestWorld().run("put", "--help") == 0)
        #expect(await TestWorld().run("rm") == 2)
    }

    @Test func anUnknownCommandIsUsage() async {
        let test = TestWorld()
        #expect(await test.run("dowload") == 2)
        #expect(test.said.contains("Did you mean this? longhaul download URL"))
    }

    @Test func theListShowsTheNewestTwentyThatHaveEnded() async {
        let ended = (1...1_500).map { snapshot(UInt64($0), .succeeded, name: "file-\($0).") }
        let test = TestWorld(ScriptedService { $0.transfers = ended + [snapshot(1_501, name: "live.")] })
        #expect(await test.run("list") == 0)
        #expect(test.printedLines.count == 22)
        #expect(test.printed.contains("file-1481.") && !test.printed.contains("file-1480."))
        #expect(test.saidLines == ["1480 more transfers ended earlier. Show them: longhaul list --all"])
        #expect(test.service.state.withLock { $0.queries } == 2)
    }

    @Test func aTransferThatEndsMeanwhileIsListedOnce() async {
        let test = TestWorld(
            ScriptedService {
                $0.transfers = [snapshot(1)]
                $0.afterList = { $0.transfers = [snapshot(1, .succeeded)] }
            })
        #expect(await test.run("list", "--json") == 0)
        #expect(test.printedLines.count == 1 && test.printed.contains(#""state":"succeeded""#))
    }

    @Test func allPagesAreShownInJSONLines() async {
        let test = TestWorld(ScriptedService { $0.transfers = (1...2_345).map { snapshot(UInt64($0)) } })
        #expect(await test.run("list", "--all", "--json") == 0)
        #expect(test.printedLines.count == 2_345)
        #expect(test.printedLines.allSatisfy { $0.hasPrefix(#"{"id":""#) && $0.hasSuffix("}") })
    }

    @Test func theStateFilterShowsOnlyThatState() async {
        let transfers = [snapshot(1, .paused), snapshot(2), snapshot(3, .failed(.noHost))]
        let test = TestWorld(ScriptedService { $0.transfers = transfers })
        #expect(await test.run("list", "--state", "failed", "--json") == 0)
        #expect(test.printedLines.count == 1 && test.printed.contains(id(3).description))
    }

    @Test func controlNamesTransfersByTheirEnds() async {
        let test = TestWorld(ScriptedService { $0.transfers = [snapshot(0xABCD), snapshot(0xBCDE)] })
        #expect(await test.run("cancel", "0000abcd") == 0)
        #expect(test.service.state.withLock { $0.controls } == [.ids([id(0xABCD)])])
        #expect(await test.run("cancel", "0123") == 13)
        #expect(await test.run("cancel") == 2)
        #expect(await test.run("cancel", "--all", "--group", "g") == 2)
    }

    /// They are distinguished by what the user knows of them.
    @Test func ambiguousIDListsNames() async {
        let test = TestWorld(ScriptedService { $0.transfers = [snapshot(0x11ABCD), snapshot(0x22ABCD)] })
        let name = snapshot(1).name
        #expect(await test.run("cancel", "abcd") == 2)
        #expect(
            test.said.contains(
                "\"abcd\" could be 0011abcd (\(name), receiving), 0022abcd (\(name), receiving). Give the ID"))
    }

    @Test func refusalsGiveTheStatus() async {
        let refusal = ControlAnswer.Refusal(id: id(1), failure: TransferFailure(.invalidState, "it still runs"))
        let test = TestWorld(ScriptedService { $0.refusals = [refusal] })
        #expect(await test.run("remove", id(1).description) == 13)
        #expect(test.said.contains("longhaul: 00000001: it still runs."))
    }

    @Test func aResponseGoesToStandardOutputAlsoWhenItIsAnError() async {
        let failure = TransferFailure(.notFound, "The file does not exist", origin: .status(404))
        let ended = snapshot(1, .failed(failure), direction: .request)
        let response = ResponseSummary(status: 404, headers: [], body: Array("gone".utf8), isTruncated: false)
        let test = TestWorld(
            ScriptedService {
                $0.watches = [ScriptedService.Watch(updates: [update(ended)])]
                $0.details[id(1)] = TransferDetail(
                    snapshot: ended, headers: [], response: response, lastFailure: failure, restarts: 0)
            })
        #expect(await test.run("request", "-d", "a=b", "-o", "-", "http://host.example/") == 6)
        #expect(test.printed == "gone")
        let spec = test.service.state.withLock { $0.submitted.first }
        #expect(spec?.method == "POST" && spec?.work == .request(body: Array("a=b".utf8)))
    }

    /// A signed URL gives access, wherever a server sends it.
    @Test(arguments: [["show"], ["show", "--json"], ["request", "--json"]])
    func responseURLsAreShownWithoutSecrets(words: [String]) async {
        let ended = snapshot(1, .succeeded, direction: .request)
        let fields = [
            HeaderField("Location", "https://me:s3cret@h.example/a/b?X-Sig=s3cret#s3cret"),
            HeaderField("content-location", "/there?s3cret"),
            HeaderField("Link", "<https://h.example/n?p=s3cret>; rel=next"),
            HeaderField("Refresh", "5; url=/x?s3cret"), HeaderField("X-Signed", "s3cret"),
            HeaderField("X-Auth-Token", "s3cret"), HeaderField("X-Next", "http://h.example/?s3cret"),
            HeaderField("X-Question", "why?"), HeaderField("ETag", "\"v1\""),
        ]
        let response = ResponseSummary(status: 302, headers: fields, body: [], isTruncated: false)
        let test = TestWorld(
            ScriptedService {
                $0.watches = [ScriptedService.Watch(updates: [update(ended)])]
                $0.details[id(1)] = TransferDetail(
                    snapshot: ended, headers: [HeaderField("X-Signed", "s3cret")], response: response,
                    lastFailure: nil, restarts: 0)
            })
        let place = words[0] == "show" ? id(1).description : "http://host.example/"
        #expect(await test.run(list: words + [place]) == 0)
        #expect(!test.printed.contains("s3cret"), "\(test.printed)")
        for shown in ["(secret)@h.example/a/b?(secret)", "/there?", "why?", "v1", "X-Signed"] {
            #expect(test.printed.contains(shown), "\(shown) in \(test.printed)")
        }
    }

    @Test func limitsAreChangedOneByOne() async {
        let test = TestWorld(ScriptedService { $0.limits = SessionLimits(total: 4, perHost: 2, perGroup: ["a": 1]) })
        #expect(await test.run("limits", "--total", "9", "--group", "a=0", "--group", "b=3") == 0)
        #expect(test.service.state.withLock { $0.limits } == SessionLimits(total: 9, perHost: 2, perGroup: ["b": 3]))
        #expect(
            test.printedLines.prefix(4) == [
                "in total          9", "per host          2", "streams per host  2 (default)", "group b           3",
            ])
        // A number that equals the default also counts as set, until it is removed.
        #expect(await test.run("limits", "--total", "auto", "--per-host", "6") == 0)
        #expect(test.service.state.withLock { $0.limits } == SessionLimits(perHost: 6, perGroup: ["b": 3]))
    }

    @Test func firstTransfersOfAnAttachedCommandAreAttended() async {
        let urls = (1...6).map { "http://h.example/\($0)" }
        for (detach, expected) in [([], 4), (["-b"], 0)] {
            let test = TestWorld(
                ScriptedService { $0.answer = { _, _ in .refused(TransferFailure(.invalidArgument, "no")) } })
            _ = await test.run(list: ["download", "-q"] + detach + urls)
            let specs = test.service.state.withLock { $0.submitted }
            #expect(specs.map(\.options.isAttended) == (1...6).map { $0 <= expected })
        }
    }

    @Test func historyIsFitForATerminal() async {
        let test = TestWorld()
        #expect(await test.run("history", id(1).description) == 0)
        #expect(test.printed.hasPrefix("2026-01-02 04:04:05  submitted") && !test.printed.contains("\u{1B}"))
    }

    @Test func watchingNothingEndsAtOnce() async {
        let test = TestWorld()
        #expect(await test.run("watch") == 0)
        #expect(test.said == "No active transfers.\n")
    }

    @Test func watchingEverythingEndsWithTheLastLiveOne() async {
        let test = TestWorld(
            ScriptedService {
                $0.transfers = [snapshot(1)]
                $0.watches = [
                    ScriptedService.Watch(
                        updates: [update(snapshot(1), snapshot(2, .failed(.noHost))), update(snapshot(1, .succeeded))])
                ]
            })
        #expect(await test.run("watch") == 0)
    }

    @Test func watchingATransferThatIsNotThereIsAnError() async {
        #expect(await TestWorld().run("watch", id(1).description) == 13)
    }
}
