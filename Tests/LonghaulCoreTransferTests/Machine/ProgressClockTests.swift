import Testing

@testable import LonghaulCore

/// The time of the last progress, from which `progressTimeout` counts.
@Suite struct ProgressClockTests {
    private func running() -> MachineFixture {
        var world = MachineFixture.download { $0.options.progressTimeout = .seconds(60) }
        world.feed(.turnGranted)
        return world
    }

    @Test func aPauseDoesNotCount() {
        var world = running()
        world.feed(.command(.pause))
        world.engine(.broke(.connectionLost))
        world.now = world.now + .seconds(86_400)
        world.feed(.command(.resume))
        world.feed(.turnGranted)
        #expect(world.facts.lastProgressAt == world.now)
    }

    @Test func retryRestartsProgressClock() {
        var world = running()
        world.feed(.starved)
        world.engine(.broke(.connectionLost))
        world.now = world.now + .seconds(86_400)
        world.feed(.command(.retry))
        world.feed(.turnGranted)
        #expect(world.facts.lastProgressAt == world.now)
    }

    @Test func waitingForATurnOrANetworkDoesNotCount() {
        var world = running()
        let began = world.now
        world.now = world.now + .seconds(10)
        world.engine(.broke(.offline, requestLeft: false))
        world.now = world.now + .seconds(1_000)
        world.feed(.networkReturned)
        world.now = world.now + .seconds(1_000)
        world.feed(.turnGranted)
        #expect(world.facts.lastProgressAt == began + .seconds(2_000))
    }

    @Test func waitingForTheNextTryCounts() {
        var world = running()
        let began = world.now
        world.engine(.broke(.connectionLost))
        world.now = world.now + .seconds(600)
        world.feed(.due)
        world.feed(.turnGranted)
        #expect(world.facts.lastProgressAt == began)
    }

    @Test func downtimeIsExcludedFromProgressClock() {
        var world = running()
        world.now = world.now + .seconds(86_400)
        _ = world.crash()
        #expect(world.facts.lastProgressAt == world.now)
    }
}
