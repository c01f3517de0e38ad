import LonghaulCore
import Testing

@Suite struct OwnerLossRuleTests {
    private func owner(_ kind: SessionOwner.Kind, boot: String = "a", ended: Bool = false) -> SessionOwner {
        let time = WallTime(seconds: 1)
        return SessionOwner(
            kind: kind, processID: 1, bootID: boot, openedAt: time, endedAt: ended ? time : nil)
    }

    @Test func onlyAnAppThatDidNotLetGoIsLost() {
        for former in [nil, owner(.app, ended: true), owner(.service), owner(.service, ended: true)] {
            #expect(OwnerLossRule.evaluate(former, policy: .cancel, bootID: "a") == nil)
        }
    }

    @Test(arguments: [OwnerLossPolicy.resume, .pause, .cancel])
    func inTheSameBootThePolicyApplies(_ policy: OwnerLossPolicy) throws {
        for (boot, now) in [("a", "a"), ("", "a"), ("a", ""), ("", "")] {
            let loss = try #require(OwnerLossRule.evaluate(owner(.app, boot: boot), policy: policy, bootID: now))
            #expect(loss == (.unknown, policy))
        }
        let loss = try #require(OwnerLossRule.evaluate(owner(.app, boot: "a"), policy: policy, bootID: "b"))
        #expect(loss == (.systemRestarted, .resume))
    }
}
