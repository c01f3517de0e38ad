import LonghaulCore
import Synchronization
import Testing

@testable import LonghaulCommand

struct AdjustCommandTests {
    private func run(_ words: String...) async -> (status: Int32, ScriptedService.State) { await run(list: words) }

    private func run(list words: [String]) async -> (status: Int32, ScriptedService.State) {
        let test = TestWorld()
        let status = await test.run(list: words)
        return (status, test.service.state.withLock { $0 })
    }

    @Test(arguments: ["--all", "-a"]) func allTransfersAreMeant(all: String) async {
        let slower = await run("set", "--limit-rate", "500k", all)
        #expect(slower.status == 0 && slower.1.controls == [.all])
        #expect(slower.1.adjustments == [TransferAdjustment(rateLimit: 500 << 10)])
        let anyway = await run("anyway", all)
        #expect(anyway.status == 0 && anyway.1.controls == [.all])
        #expect(anyway.1.adjustments == [TransferAdjustment(ignoresConditions: true)])
    }

    @Test func limitsApplyToOneSessionOrToAll() async {
        let one = await run("limits", "--rate", "2M", "--budget", "1G").1
        #expect(one.rules.rules.traffic.rateLimit == 2 << 20 && one.rules.rules.traffic.budget.bytesPerDay == 1 << 30)
        #expect(one.traffic.limits == TrafficLimits())
        let all = await run("limits", "--all-sessions", "--rate", "2M", "--total", "3").1
        #expect(all.traffic.limits.rateLimit == 2 << 20 && all.traffic.limits.transfers == 3)
        #expect(all.rules == SessionRulesReport() && all.limits == SessionLimits())
        let test = TestWorld()
        test.service.state.withLock { $0.traffic.limits.transfers = 3 }
        #expect(await test.run("limits", "--all-sessions", "--total", "auto") == 0)
        #expect(test.service.state.withLock { $0.traffic.limits.transfers } == nil)
        #expect(await run("limits", "--all-sessions", "--per-host", "3").status == 2)
    }

    private static let defaults: [[String]] = [
        ["--total", "default", "--per-host", "default", "--streams", "default", "--group", "a=default"]
            + ["--rate", "default", "--schedule", "default", "--budget", "default", "--monthly-budget", "default"],
        ["--total", "auto", "--per-host", "auto", "--streams", "auto", "--group", "a=none"]
            + ["--rate", "none", "--schedule", "none", "--budget", "none", "--monthly-budget", "none"],
        ["--reset"],
    ]

    @Test(arguments: defaults) func everyLimitHasAWayBack(words: [String]) async {
        let test = TestWorld()
        test.service.state.withLock { state in
            state.limits = SessionLimits(total: 8, perHost: 2, streams: 3, perGroup: ["a": 1])
            state.rules.rules.traffic.rateLimit = 5
            state.rules.rules.traffic.timetable = [RulesText.window("9:00-17:00=5")].compactMap(\.self)
            (state.rules.rules.traffic.budget.bytesPerDay, state.rules.rules.traffic.budget.bytesPerMonth) = (6, 7)
        }
        #expect(await test.run(list: ["limits"] + words) == 0)
        let state = test.service.state.withLock { $0 }
        #expect(state.limits == SessionLimits() && state.rules.rules.traffic == TrafficLimits())
        #expect(!test.printedLines.isEmpty && test.printedLines.allSatisfy { $0.hasSuffix("(default)") })
    }

    @Test func limitsOfAllSessionsAreReset() async {
        let test = TestWorld()
        test.service.state.withLock {
            ($0.traffic.limits.transfers, $0.traffic.limits.rateLimit, $0.limits.total) = (3, 4, 5)
        }
        #expect(await test.run("limits", "--all-sessions", "--reset") == 0)
        #expect(test.service.state.withLock { $0.traffic.limits } == TrafficLimits())
        #expect(test.service.state.withLock { $0.limits } == SessionLimits(total: 5))
    }

    @Test func perHostNoneLiftsTheLimit() async {
        let test = TestWorld()
        #expect(await test.run("limits", "--per-host", "none") == 0)
        #expect(test.service.state.withLock { $0.limits.perHost } == LimitsText.unlimited)
        #expect(test.printedLines.contains { $0.hasPrefix("per host") && $0.hasSuffix(" none") }, "\(test.printed)")
    }

    @Test func everyRuleHasAWayBack() async {
        let names = RulesCommand.command.options.map(\.long).filter { !["session", "json"].contains($0) }
        let test = TestWorld()
        test.service.state.withLock { state in
            state.rules.rules.conditions = ConditionRules(
                links: [.vpn], requiresIdleMachine: true, leastBatteryLevel: 5)
            state.rules.rules.conditions.allowsExpensiveNetworkAccess = false
            state.rules.rules.conditions.allowsConstrainedNetworkAccess = false
            state.rules.rules.conditions.allowsRoaming = false
            state.rules.rules.conditions.requiresExternalPower = true
            state.rules.rules.conditions.isDiscretionary = true
            state.rules.rules.conditions.yieldsToOtherTraffic = true
            state.rules.rules.conditions.hours = RulesText.hours("22:00-06:00")
        }
        #expect(await test.run(list: ["rules"] + names.flatMap { ["--" + $0, "default"] }) == 0)
        #expect(test.service.state.withLock { $0.rules.rules.conditions } == ConditionRules())
        #expect(test.printedLines.allSatisfy { $0.hasSuffix("(default)") }, "\(test.printed)")
    }

    @Test func changedOptionsOfATransferHaveAWayBack() async {
        let changed = await run(
            "set", "--all", "--priority", "default", "--limit-rate", "default", "--not-before", "default", "--retry",
            "default", "--max-time", "default", "--give-up-after", "default", "--to-group", "default", "--split",
            "default")
        let usual = TransferOptions()
        let change = changed.1.adjustments.first
        #expect(changed.status == 0 && change?.priority == 0 && change?.rateLimit == 0)
        #expect(change?.retryLimit == usual.retryLimit && change?.group == "" && change?.segments == 0)
        #expect(change?.timeoutIntervalForResource == usual.timeoutIntervalForResource)
        #expect(change?.progressTimeout == .zero)
    }

    @Test func conditionIsSetBack() async {
        let test = TestWorld()
        test.service.state.withLock { $0.conditions.override.isExpensive = true }
        #expect(await test.run("conditions", "set", "metered", "default") == 0)
        #expect(test.service.state.withLock { $0.conditions.override } == ConditionsOverride())
    }

    @Test func rulesAndTransfersNameLinksIdlenessAndCharge() async throws {
        let rules = await run("rules", "--link", "wired,wifi", "--when-idle", "yes", "--battery", "60")
        var expected = ConditionRules(links: [.wired, .wifi], requiresIdleMachine: true, leastBatteryLevel: 60)
        #expect(rules.status == 0 && rules.1.rules.rules.conditions == expected)
        let test = TestWorld()
        test.service.state.withLock { $0.rules.rules.conditions = expected }
        #expect(await test.run("rules", "--link", "any", "--battery", "none") == 0)
        (expected.links, expected.leastBatteryLevel) = ([], nil)
        #expect(test.service.state.withLock { $0.rules.rules.conditions } == expected)
        let download = await run("download", "-b", "--link", "vpn", "--when-idle", "--battery", "5", "http://h/")
        #expect(
            download.1.submitted.map(\.options.conditions)
                == [ConditionRules(links: [.vpn], requiresIdleMachine: true, leastBatteryLevel: 5)])
        let said = await run("conditions", "set", "link", "mobile")
        #expect(said.status == 0 && said.1.conditions.override.link == .mobile)
        for words in [
            ["rules", "--link", "radio"], ["rules", "--battery", "101"], ["conditions", "set", "link", "x"],
            ["conditions", "set", "link", "wired,wifi"],
        ] {
            #expect(await TestWorld().run(list: words) == 2)
        }
    }

    /// A field of an adjustment, the options of `set` that fill it, and the equivalent change of an app's options.
    private struct Row: Sendable {
        var field: String
        var words: [[String]]
        var change: (@Sendable (inout TransferOptions) -> Void)?
    }

    private static let conditions: [(words: [String], rules: ConditionRules)] = [
        (["--no-metered"], ConditionRules(allowsExpensiveNetworkAccess: false)),
        (["--no-roaming"], ConditionRules(allowsRoaming: false)), (["--link", "vpn"], ConditionRules(links: [.vpn])),
        (["--when-idle"], ConditionRules(requiresIdleMachine: true)),
        (["--battery", "5"], ConditionRules(leastBatteryLevel: 5)),
        (["--on-power"], ConditionRules(requiresExternalPower: true)),
        (["--when-convenient"], ConditionRules(isDiscretionary: true)),
        (["--yield"], ConditionRules(yieldsToOtherTraffic: true)),
        (["--between", "2-6"], ConditionRules(hours: TimeWindow(from: 120, to: 360))),
        (["--no-conditions"], ConditionRules()),
    ]

    private static let rows = [
        Row(field: "priority", words: [["--priority", "7"]]) { $0.priority = 7 },
        Row(field: "rateLimit", words: [["--limit-rate", "7k"]]) { $0.rateLimit = 7 },
        Row(field: "earliestBeginDate", words: [["--not-before", "+1h"]]) { $0.earliestBeginDate = start },
        Row(field: "retryLimit", words: [["--retry", "7"]]) { $0.retryLimit = 7 },
        Row(field: "timeoutIntervalForResource", words: [["--max-time", "7h"]]) {
            $0.timeoutIntervalForResource = .seconds(7)
        },
        Row(field: "progressTimeout", words: [["--give-up-after", "7h"]]) { $0.progressTimeout = .seconds(7) },
        Row(field: "group", words: [["--to-group", "g"]]) { $0.group = "g" },
        Row(field: "predecessor", words: [["--after", "none"], ["--after-any", "\(id(1))"]]) { $0.predecessor = id(1) },
        Row(field: "segments", words: [["--split", "7"]]) { $0.segments = 7 },
        Row(field: "notifications", words: [["--notify", "yes"]]) { $0.notifications = .always },
        Row(field: "conditions", words: conditions.map(\.words)) { $0.conditions = ConditionRules(links: [.vpn]) },
        // Transfer.move(to:fileName:)
        Row(field: "destination", words: [["--output", "f"], ["--directory", "/tmp"]], change: nil),
        // Transfer.ignoreConditions(_:) and longhaul anyway
        Row(field: "ignoresConditions", words: [], change: nil),
        // Transfer.retry() and longhaul retry
        Row(field: "retries", words: [], change: nil),
        // Only an app has these two: a command that waits attends its transfers, and starts no app.
        Row(field: "makesAttended", words: []) { $0.isAttended = true },
        Row(field: "wakesAppWhenFinished", words: []) { $0.wakesAppWhenFinished = true },
    ]

    private func changedFields(_ adjustment: TransferAdjustment) -> [String] {
        zip(Mirror(reflecting: adjustment).children, Mirror(reflecting: TransferAdjustment()).children)
            .filter { "\($0.value)" != "\($1.value)" }.compactMap(\.0.label)
    }

    @Test func setAndLibraryChangeTheSame() async throws {
        let fields = Mirror(reflecting: TransferAdjustment()).children.compactMap(\.label)
        #expect(Set(fields) == Set(Self.rows.map(\.field)))
        let choosing = Option.selection + [.session, .quiet]
        let options = TransferChange.command.options.filter { !choosing.contains($0) }.map { "--" + $0.long }
        #expect(options.sorted() == Self.rows.flatMap { $0.words.map { $0[0] } }.sorted())
        // -u and -H of retry are Transfer.replaceURL(with:headers:).
        let retry = ControlCommands.retry.options.filter { !choosing.contains($0) && ![.json, .detach].contains($0) }
            .map(\.long)
        #expect(retry.sorted() == ["directory", "header", "output", "user"])
        for row in Self.rows {
            for words in row.words {
                let test = TestWorld()
                test.service.state.withLock { $0.transfers = [snapshot(1), snapshot(2)] }
                #expect(await test.run(list: ["set", "\(id(2))"] + words) == 0, "\(words) \(test.said)")
                let made = try #require(test.service.state.withLock { $0.adjustments.last })
                #expect(changedFields(made) == [row.field], "\(words)")
            }
            if let change = row.change {
                var wanted = TransferOptions()
                change(&wanted)
                #expect(changedFields(try TransferAdjustment(from: TransferOptions(), to: wanted)) == [row.field])
            }
        }
    }

    @Test func setReplacesConditions() async {
        for (words, rules) in Self.conditions {
            let changed = await run(list: ["set", "--all"] + words)
            #expect(changed.1.adjustments.map(\.conditions) == [rules], "\(words)")
        }
        #expect(await run("set", "--all", "--no-conditions", "--on-power").status == 2)
    }

    @Test func setReadsPredecessorSplitAndNotifications() async {
        let after = await run("set", "--all", "--after-any", "\(id(1))", "--split", "auto", "--notify", "no")
        let made = after.1.adjustments.first
        #expect(made?.predecessor == .init(id(1), followsFailure: true))
        #expect(made?.segments == 0 && made?.notifications == .never)
        #expect(after.1.notifications.settings == nil)
        #expect(await run("set", "--all", "--after", "none").1.adjustments.first?.predecessor == .init(nil))
        let notifying = await run("set", "--all", "--notify", "yes").1
        #expect(notifying.notifications.settings?.opensApp == false && notifying.adjustments.count == 1)
        for words in [["--split", "0"], ["--notify", "maybe"]] {
            #expect(await run(list: ["set", "--all"] + words).status == 2)
        }
    }

    @Test func aGroupIsGivenAndTaken() async {
        for (word, group) in [("films", "films"), ("none", "")] {
            let moved = await run("set", "--group", "old", "--to-group", word)
            #expect(moved.status == 0 && moved.1.controls == [.group("old")])
            #expect(moved.1.adjustments.map(\.group) == [group])
        }
        #expect(await run("set", "--all", "--to-group", "").status == 2)
    }

    @Test func aGroupIsMeant() async {
        let anyway = await run("anyway", "--undo", "--group", "films")
        #expect(anyway.status == 0 && anyway.1.controls == [.group("films")])
        #expect(anyway.1.adjustments == [TransferAdjustment(ignoresConditions: false)])
    }

    @Test func commandRequiresOneSelection() async {
        #expect(await run("anyway").status == 2)
        #expect(await run("anyway", "--all", "--group", "films").status == 2)
        #expect(await run("set", "--limit-rate", "1M").status == 2)
        let unnamed = await run("cancel", "--group", "")
        #expect(unnamed.status == 2 && unnamed.1.controls.isEmpty)
    }
}
