import LonghaulCore
import Testing

@Suite struct OwnershipMachineTests {
    private static let report = OwnerLossReport(
        processID: 1, openedAt: SessionFixture.start, noticedAt: SessionFixture.start, reason: .unknown,
        policy: .pause, transfers: 2)
    private var session = SessionFixture()

    private var owner: SessionOwner {
        SessionOwner(kind: .app, processID: 1, bootID: "boot", openedAt: session.now)
    }

    @Test mutating func nextOwnerDecidesAboutPreviousOwner() throws {
        #expect(session.machine.ownership.evaluateLoss(bootID: "boot") == nil, "there was no previous owner")
        #expect(session.feed(.ownerLossPolicyChanged(.pause)) == [.write(.ownerLossPolicy(.pause))])
        #expect(session.feed(.tookOver(owner, nil)).contains(.write(.owner(owner))))
        #expect(session.machine.ownership.owner == owner)
        #expect(try #require(session.machine.ownership.evaluateLoss(bootID: "boot")) == (.unknown, .pause))
    }

    @Test mutating func anOwnerThatIsReplacedInItsOwnProcessIsNotLost() {
        session.feed(.tookOver(owner, nil))
        let old = session.machine
        session.machine.inherit(from: old, at: session.now)
        #expect(session.machine.ownership.evaluateLoss(bootID: "boot") == nil)
    }

    @Test mutating func aLossIsKeptUntilItIsAcknowledged() {
        #expect(session.feed(.ownerLossAcknowledged).isEmpty)
        #expect(session.feed(.ownerLost(Self.report)) == [.write(.ownerLoss(Self.report))])
        #expect(session.machine.ownership.loss == Self.report)
        #expect(session.feed(.ownerLossAcknowledged) == [.write(.ownerLoss(nil))])
        #expect(session.machine.ownership.loss == nil)
    }
}
