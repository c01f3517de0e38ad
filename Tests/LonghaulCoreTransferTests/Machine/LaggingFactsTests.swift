import TestSupport
import Testing

@testable import LonghaulCore

/// The facts that may differ if a record lags. The comparison names the fields one by one, so this checks each of them.
@Suite struct LaggingFactsTests {
    /// A change of each fact, by its name, and of each fact that is about a download or an upload.
    private static let changes: [String: @Sendable (inout TransferFacts) -> Void] = [
        "createdAt": { $0.createdAt = $0.createdAt + .seconds(1) },
        "deadline": { $0.deadline = $0.deadline + .seconds(1) },
        "startedAt": { $0.startedAt = $0.createdAt + .seconds(7) },
        "endedAt": { $0.endedAt = $0.createdAt + .seconds(7) },
        "lastProgressAt": { $0.lastProgressAt = $0.createdAt + .seconds(7) },
        "attempts": { $0.attempts += 1 },
        "failuresInARow": { $0.failuresInARow += 1 },
        "failedLookups": { $0.failedLookups += 1 },
        "restarts": { $0.restarts += 1 },
        "bytesDone": { $0.bytesDone += 1 },
        "progressMark": { $0.progressMark += 1 },
        "bytesTotal": { $0.bytesTotal = 99 },
        "lastFailure": { $0.lastFailure = TransferFailure(.interrupted, "It broke.") },
        "retryEnd": { $0.retryEnd = .pointless },
        "credentialRefusals": { $0.credentialRefusals += 1 },
        "cleanup": { $0.cleanup.insert(.partialFile) },
        "ignoresConditions": { $0.ignoresConditions.toggle() },
        "startsAtOnce": { $0.startsAtOnce.toggle() },
        "changes": { $0.changes.priority = 7 },
        "restartCounts": { $0.restartCounts.latest = .rangesIgnored },
        "download": { $0.download.syncedLength += 1 },
        "upload": { $0.upload.stalls += 1 },
        "response": { $0.response = ResponseSummary(status: 200, headers: [], body: [], isTruncated: false) },
    ]
    private static let figures: Set = ["startedAt", "lastProgressAt", "attempts", "bytesDone", "bytesTotal"]
    private static let wonWithABody: Set = ["download", "progressMark", "failuresInARow"]

    private static func names(of value: some Any) -> Set<String> {
        Set(Mirror(reflecting: value).children.compactMap(\.label).map(propertyName))
    }

    @Test func everyFactHasAChange() {
        #expect(Self.names(of: MachineFixture.download().machine.record.facts) == Set(Self.changes.keys))
    }

    @Test(arguments: [MachineFixture.download(), .upload("PUT"), .tus()])
    func onlyTheFiguresOfAnAttemptMayDiffer(_ fixture: MachineFixture) {
        var world = fixture
        let stored = world.machine.record
        world.feed(.turnGranted)
        for (name, change) in Self.changes {
            var record = world.machine.record
            change(&record.facts)
            #expect(record.mayLag(behind: stored) == Self.figures.contains(name), "\(name)")
        }
    }

    @Test func withABodyInMemoryAlsoWhatItWonMay() {
        var world = MachineFixture.download()
        let stored = world.machine.record
        world.feed(.turnGranted)
        world.engine(.held(1_000))
        for (name, change) in Self.changes {
            var record = world.machine.record
            change(&record.facts)
            #expect(record.mayLag(behind: stored) == (Self.figures.union(Self.wonWithABody)).contains(name), "\(name)")
        }
    }

    @Test func endedTransferMayLagOnlyInCleanup() {
        var world = MachineFixture.download()
        world.feed(.turnGranted)
        world.feed(.command(.cancel))
        var stored = world.machine.record
        stored.facts.cleanup = [.partialFile, .record]
        for (name, change) in Self.changes {
            var record = stored
            record.facts.cleanup = []
            change(&record.facts)
            #expect(record.mayLag(behind: stored) == (name == "cleanup"), "\(name)")
        }
    }
}
