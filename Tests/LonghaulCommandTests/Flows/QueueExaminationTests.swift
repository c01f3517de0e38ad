import LonghaulCore
import Synchronization
import Testing

@testable import LonghaulCommand

@Suite struct QueueExaminationTests {
    private func findings(_ prepare: (inout ScriptedService.State) -> Void) async throws -> [Finding] {
        let test = TestWorld(ScriptedService(prepare))
        return try await QueueExamination(world: test.world(), session: .commandLine).findings(test.service)
    }

    private func waiting(_ number: UInt64, _ waiting: Waiting, _ limit: TransferSnapshot.TurnLimit? = nil)
        -> TransferSnapshot
    {
        var transfer = snapshot(number, .waiting(waiting))
        transfer.turnLimit = limit
        transfer.turnLimitCount = limit == .host ? 2 : nil
        return transfer
    }

    @Test func healthyQueueHasOneLineForEachCheck() async throws {
        let findings = try await findings { $0.transfers = [snapshot(1), snapshot(2, .paused)] }
        #expect(findings.map(\.check) == ["network", "limits", "queue"])
        #expect(findings.allSatisfy { $0.verdict == .ok }, "\(findings)")
    }

    @Test func failedTransfersAreCounted() async throws {
        let failed = try await findings {
            $0.transfers = [snapshot(1, .failed(.noHost)), snapshot(2, .failed(.noHost)), snapshot(3, .succeeded)]
        }
        #expect(failed.last?.check == "failed" && failed.last?.message == "2 transfers failed.")
        #expect(
            failed.last?.remedy
                == "To list the failures, run longhaul list --state failed. To retry, run longhaul retry --state failed."
        )
    }

    @Test func networkIsReported() async throws {
        for (network, text) in [(Conditions.Network.none, "has no network"), (.captive, "requires a login")] {
            let finding = try await findings { $0.conditions.measured.network = network }[0]
            #expect(finding.verdict == .warn && finding.message.contains(text))
        }
        let metered = try await findings {
            $0.conditions.measured.network = .reachable
            $0.conditions.measured.isExpensive = true
        }
        #expect(metered[0] == Finding("network", .note, "The network is metered."))
        let manual = try await findings { $0.conditions.override.network = .reachable }
        #expect(manual[0].remedy?.contains("longhaul conditions") == true)
    }

    @Test func limitsThatAreSetAreNamedWithTheirReset() async throws {
        let limits = try await findings { $0.limits = SessionLimits(total: 8, perHost: 2, perGroup: ["films": 1]) }[1]
        #expect(limits.message == "Limits are set: 8 in total, 2 per host, 1 in the group films.")
        #expect(limits.remedy == "To reset them, run longhaul limits --reset.")
    }

    @Test func transfersAreCountedByReason() async throws {
        let held = start + .seconds(3_600)
        let findings = try await findings { state in
            state.transfers =
                (1...58).map { self.waiting($0, Waiting(.turn, since: start), .host) }
                + [
                    self.waiting(60, Waiting(.turn, since: start, until: held), .heldHost),
                    self.waiting(61, Waiting(.serverBusy, since: start, until: held, retryAfter: held)),
                    self.waiting(62, Waiting(.notBefore, since: start, until: held)),
                ]
        }
        let queue = findings.filter { $0.check == "queue" }
        #expect(
            queue.map(\.message) == [
                "58 transfers wait: limit of 2 per host host.example.",
                "2 transfers wait: host.example requested a pause (Retry-After).", "1 transfer waits: start time.",
            ])
        #expect(queue[0].remedy?.contains("longhaul limits") == true)
        #expect(queue[1].remedy?.hasPrefix("The pause ends at 2026-01-02 05:04:05.") == true)
        #expect(queue[2].remedy == "The next one starts at 2026-01-02 05:04:05.")
    }

    @Test(arguments: Waiting.Reason.allCases) func reasonHasAnEnd(_ reason: Waiting.Reason) async throws {
        let transfer = waiting(1, Waiting(reason, since: start))
        let finding = try #require(try await findings { $0.transfers = [transfer] }.last)
        #expect(finding.message.hasPrefix("1 transfer waits: ") && finding.remedy?.hasSuffix(".") == true)
    }

    @Test func rulesAndBudgetsThatHoldBackAreReported() async throws {
        let findings = try await findings { state in
            state.rules.rules.conditions.allowsExpensiveNetworkAccess = false
            state.rules.rules.traffic.budget.bytesPerDay = 1 << 20
        }
        #expect(findings.contains { $0.check == "rules" && $0.message.contains("no metered network") })
        #expect(findings.contains { $0.check == "budget" && $0.message.contains("0 B of 1.0 MiB") })
    }
}
