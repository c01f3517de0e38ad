import TestSupport
import Testing

@testable import LonghaulCore

/// Waits for a clock by which a certificate is valid.
@Suite struct ClockWaitTests {
    private static let year = Duration.seconds(31_536_000)

    private func failure(validFrom: WallTime?) -> TransferFailure {
        var failure = TransferFailure(.notYetValid, "The certificate is not valid yet.", origin: .curl(60))
        failure.certificate = validFrom.map {
            ServerCertificate(
                origin: "https://a.test:443", subject: "CN=a", issuer: "CN=a", validFrom: $0,
                validUntil: $0 + Self.year, fingerprint: "f", publicKey: "sha256//k")
        }
        return failure
    }

    /// A request that waits for the clock.
    private func waiting(validAfter: Duration?, retryLimit: Int = 10) -> MachineFixture {
        var world = MachineFixture.upload("PUT")
        world.machine.record.spec.options.retryLimit = retryLimit
        world.feed(.turnGranted)
        let failure = failure(validFrom: validAfter.map { world.now + $0 })
        world.engine(.exchangeEnded(ExchangeOutcome(ending: .broke(failure), requestLeft: false)))
        return world
    }

    private func wait(_ world: MachineFixture) -> Waiting? {
        if case .waiting(let waiting) = world.state { waiting } else { nil }
    }

    @Test func waitEndsWhenCertificateIsValid() throws {
        var world = waiting(validAfter: Self.year)
        let until = try #require(wait(world)?.until)
        #expect(wait(world)?.reason == .clock && until == world.now + Self.year)
        #expect(world.facts.failuresInARow == 0)
        world.now = until
        world.feed(.due)
        #expect(wait(world)?.reason == .turn)
    }

    @Test func clockSetPastDeadlineGivesWholeTime() {
        for event in [TransferEvent.due, .clockChanged] {
            var world = waiting(validAfter: Self.year)
            world.now = world.now + Self.year + .seconds(1)
            #expect(world.facts.deadline < world.now)
            #expect(TransferEvent.ofAlarm(world.machine.record, at: world.now) { false } == .due)
            world.feed(event)
            #expect(wait(world)?.reason == .turn)
            #expect(world.facts.deadline == world.now + .seconds(604_800))
        }
    }

    @Test func clockSetTooEarlyKeepsWaiting() {
        var world = waiting(validAfter: Self.year)
        world.now = world.now + .seconds(2_000_000)
        world.feed(.clockChanged)
        #expect(wait(world)?.reason == .clock && world.facts.deadline > world.now)
        #expect(TransferEvent.ofAlarm(world.machine.record, at: world.now) { false } == nil)
    }

    @Test func timeLimitEndsWait() {
        var world = waiting(validAfter: Self.year)
        world.now = world.facts.deadline
        #expect(TransferEvent.ofAlarm(world.machine.record, at: world.now) { false } == .deadlinePassed)
        world.feed(.deadlinePassed)
        guard case .failed(let failure) = world.state else { return #expect(Bool(false), "\(world.state)") }
        #expect(failure.code == .resourceTimeExceeded)
    }

    @Test func unknownTimeIsTriedEachHourAndAfterClockChange() {
        var world = waiting(validAfter: nil)
        #expect(wait(world)?.until == world.now + .seconds(3_600))
        world.feed(.clockChanged)
        #expect(wait(world)?.reason == .turn)
    }

    @Test func noRetryMeansNoWait() {
        let world = waiting(validAfter: Self.year, retryLimit: 0)
        guard case .failed(let failure) = world.state else { return #expect(Bool(false), "\(world.state)") }
        #expect(failure.code == .notYetValid && failure.certificate != nil)
    }

    @Test func otherWaitsIgnoreClockChange() {
        var world = MachineFixture.upload("PUT")
        world.feed(.turnGranted)
        world.engine(.broke(.connectionRefused))
        let before = world.state
        world.feed(.clockChanged)
        #expect(world.state == before)
    }
}
