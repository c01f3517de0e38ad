import LonghaulCore
import Synchronization
import Testing

@testable import LonghaulCommand

struct AdjustCommandTests {
    private func run(_ words: String...) async -> (status: Int32, ScriptedService.State) {
        let test = TestWorld()
        let status = await test.run(list: words)
        return (status, test.service.state.withLock { $0 })
    }

    @Test(arguments: ["--all", "-a"]) func allTransfersAreMeant(all: String) async {
        let slower = await run("set-rate", "500k", all)
        #expect(slower.status == 0 && slower.1.controls == [.all])
        #expect(slower.1.adjustments == [TransferAdjustment(rateLimit: 500 << 10)])
        let anyway = await run("anyway", all)
        #expect(anyway.status == 0 && anyway.1.controls == [.all])
        #expect(anyway.1.adjustments == [TransferAdjustment(ignoresConditions: true)])
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

    @Test func oneWayOfChoosingIsNeeded() async {
        #expect(await run("anyway").status == 2)
        #expect(await run("anyway", "--all", "--group", "films").status == 2)
        #expect(await run("set-rate", "--all").status == 2)
        let unnamed = await run("cancel", "--group", "")
        #expect(unnamed.status == 2 && unnamed.1.controls.isEmpty)
    }
}
