import Testing

@testable import LonghaulCore

@Suite struct LeftoverTests {
    @Test func aLeftoverOfACancelledTransferIsRecordedAndDeleted() {
        var world = MachineFixture.download()
        world.feed(.command(.cancel))
        world.feed(.cleaned(.partialFile, isDone: true))
        #expect(world.facts.cleanup.isEmpty)
        #expect(world.feed(.leftoverFound(.partialFile)) == [.clean(.partialFile)])
        #expect(world.facts.cleanup == [.partialFile])
        #expect(world.refusal(of: .retry) != nil)
        world.feed(.cleaned(.partialFile, isDone: true))
        #expect(world.refusal(of: .retry) == nil)
    }

    @Test func neededFileIsNeverLeftover() {
        var world = MachineFixture.download()
        #expect(world.feed(.leftoverFound(.partialFile)).isEmpty)
        world.feed(.turnGranted)
        #expect(world.feed(.leftoverFound(.partialFile)).isEmpty)
        world.feed(.command(.pause))
        #expect(world.feed(.leftoverFound(.partialFile)).isEmpty)
        world.feed(.deadlinePassed)
        guard case .failed = world.state else { return #expect(Bool(false), "\(world.state)") }
        #expect(world.feed(.leftoverFound(.partialFile)).isEmpty)
        #expect(world.facts.cleanup.isEmpty)
    }
}
