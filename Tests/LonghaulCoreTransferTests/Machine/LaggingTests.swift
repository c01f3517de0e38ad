import Testing

@testable import LonghaulCore

/// Changes that may take effect before they are stored.
@Suite struct LaggingTests {
    @Test(arguments: [MachineFixture.download(), .upload("PUT"), .upload("POST"), .tus()])
    func anAttemptThatHasBegunMayLagSinceItBeginsAgain(_ fixture: MachineFixture) {
        var world = fixture
        let stored = world.machine.record
        let begun = world.feed(.turnGranted)
        #expect(world.machine.record != stored && world.machine.record.mayLag(behind: stored))
        // The effects after a crash are the same, whether or not the start was stored.
        var known = MachineFixture(world.machine.record.spec)
        #expect(known.feed(.turnGranted) == begun)
        #expect(world.crash() == begun)
    }

    @Test func serverFactsMustNotLag() {
        var world = MachineFixture.download()
        let stored = world.machine.record
        world.feed(.turnGranted)
        world.engine(.receiving(.file()))
        #expect(!world.machine.record.mayLag(behind: stored))
    }

    @Test func aFileThatIsToBePlacedMayNot() {
        var world = MachineFixture.download()
        let stored = world.machine.record
        world.feed(.turnGranted)
        world.engine(.written(1_000, complete: true))
        #expect(!world.machine.record.mayLag(behind: stored))
    }

    @Test func heldBodyMayLagBecauseCrashRepeatsRequest() {
        var world = MachineFixture.download()
        let stored = world.machine.record
        let begun = world.feed(.turnGranted)
        world.engine(.held(1_000))
        #expect(world.state == .running(.verifying))
        #expect(world.machine.record.mayLag(behind: stored))
        world.machine = TransferMachine(stored)
        #expect(world.feed(.turnGranted) == begun)
    }

    @Test func aBodyInMemoryMayNotWhereAVersionIsKnown() {
        var world = MachineFixture.download()
        world.feed(.turnGranted)
        world.engine(.receiving(.file()))
        let stored = world.machine.record
        world.engine(.held(1_000))
        #expect(!world.machine.record.mayLag(behind: stored))
    }

    @Test func aBodyThatIsOutMayWhereItMayBeSentAgain() {
        for (method, mayLag) in [("PUT", true), ("POST", false)] {
            var world = MachineFixture.upload(method)
            let stored = world.machine.record
            world.feed(.turnGranted)
            world.engine(mayLag ? .bodySent : .lastBytesHeld)
            #expect(world.state == .awaitingResponse)
            #expect(world.machine.record.mayLag(behind: stored) == mayLag)
        }
    }

    @Test func onlyWhatWasTidiedMayAfterTheEnd() {
        var world = MachineFixture.download()
        world.feed(.turnGranted)
        world.engine(.written(1_000, complete: true))
        let placing = world.machine.record
        world.engine(.placed(.success(PlacedFile(path: "/tmp/files/film.mp4", leavesPartialFile: true))))
        let ended = world.machine.record
        #expect(!ended.mayLag(behind: placing))
        world.feed(.cleaned(.partialFile, isDone: true))
        #expect(world.machine.record != ended && world.machine.record.mayLag(behind: ended))
        #expect(!ended.mayLag(behind: world.machine.record))
    }

    @Test func anotherURLMayNot() {
        var world = MachineFixture.download()
        let stored = world.machine.record
        world.feed(.turnGranted)
        world.machine.record.spec.url = "http://example.org/other"
        #expect(!world.machine.record.mayLag(behind: stored))
    }
}
