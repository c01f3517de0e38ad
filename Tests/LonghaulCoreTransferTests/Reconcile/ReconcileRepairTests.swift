import Testing

@testable import LonghaulCore

/// Findings for a session that has changed meanwhile.
@Suite struct ReconcileRepairTests {
    private func item(
        _ code: ReconcileFinding.Kind, seen: TransferMachine? = nil, path: String? = nil
    ) -> ReconcileDraft.Item {
        let id = MachineFixture.download().machine.record.id
        return ReconcileDraft.Item(
            finding: ReconcileFinding(code, transfer: id, path: path), seen: seen.map { ReconcileRecord($0.record) })
    }

    @Test func staleFindingNoLongerHolds() {
        var world = MachineFixture.download()
        let missing = item(.partialMissing, seen: world.machine)
        #expect(missing.holds(for: world.machine))
        world.feed(.command(.pause))
        #expect(!missing.holds(for: world.machine) && !missing.holds(for: nil))
    }

    /// After a launch, the clean-up of the last process continues during the comparison.
    @Test(arguments: [ReconcileFinding.Kind.fileMissing, .fileChanged])
    func findingAboutFinishedFileHoldsDuringCleanup(kind: ReconcileFinding.Kind) {
        var record = MachineFixture.download().machine.record
        record.state = .succeeded
        record.facts.download.finalPath = "/tmp/files/film.mp4"
        let cleaned = record
        record.facts.cleanup = [.partialFile]
        let file = item(kind, seen: TransferMachine(record))
        #expect(file.holds(for: TransferMachine(cleaned)))
        #expect(!item(.partialLeftOver, seen: TransferMachine(record)).holds(for: TransferMachine(cleaned)))
        record.facts.download.finalPath = "/tmp/files/film (1).mp4"
        #expect(!file.holds(for: TransferMachine(record)) && !file.holds(for: nil))
        record = cleaned
        record.state = .waiting(Waiting(.turn, since: MachineFixture.start))
        #expect(!file.holds(for: TransferMachine(record)))
    }

    @Test func onlyWhatReallyMovesMovesWithoutNeed() {
        var world = MachineFixture.download()
        let idle = world.machine
        world.feed(.turnGranted)
        let moving = world.machine
        #expect(item(.transferWithoutNeed).holds(for: moving) && !item(.transferWithoutNeed).holds(for: idle))
        #expect(item(.runningWithoutTransfer).holds(for: idle) && !item(.runningWithoutTransfer).holds(for: moving))
        world.feed(.command(.pause))
        #expect(!item(.transferWithoutNeed).holds(for: world.machine), "it was told to stop")
    }

    @Test func aPartialFileIsForeignOnlyIfNoTransferHasItsName() {
        let machine = MachineFixture.download().machine
        #expect(item(.partialForeign).holds(for: nil) && !item(.partialForeign).holds(for: machine))
        let own = ReconcileRecord(machine.record).download?.partialPath
        #expect(!item(.partialElsewhere, path: own).holds(for: machine))
        #expect(item(.partialElsewhere, path: "/other").holds(for: machine))
        #expect(!item(.partialElsewhere, path: "/other").holds(for: nil))
    }

    @Test func onlyActionableFindingsNotifyTheTransfer() {
        let told = ReconcileFinding.Kind.allCases.filter { ReconcileFinding($0).news != nil }
        #expect(told == [.runningWithoutTransfer, .partialLeftOver, .stagedLeftOver])
    }
}
