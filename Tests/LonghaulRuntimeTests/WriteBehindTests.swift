import LonghaulCore
import LonghaulStore
import Testing

@testable import LonghaulRuntime

/// Records that are ahead of the disk, without a disk.
@Suite struct WriteBehindTests {
    private let now = WallTime(seconds: 1_000)
    private let waiting: TransferRecord
    private let running: TransferRecord

    init() {
        let id = TransferID(high: 1, low: 1)
        let spec = TransferSpec(work: .request(body: []), method: "GET", url: "http://a.test/")
        let turn = TransferState.waiting(Waiting(.turn, since: WallTime(seconds: 1_000)))
        waiting = TransferRecord(id: id, spec: spec, state: turn, createdAt: WallTime(seconds: 1_000))
        var machine = TransferMachine(waiting)
        _ = machine.handle(.turnGranted, at: Moment(now: WallTime(seconds: 1_000), random: 1, bootID: "boot"))
        running = machine.record
    }

    private var succeeded: TransferRecord {
        var record = running
        record.state = .succeeded
        return record
    }

    @Test func aBeginningLagsAndIsWrittenWithTheEnd() throws {
        var behind = WriteBehind()
        let begun = behind.record(running, since: waiting, at: now)
        #expect(begun?.record == nil)
        #expect(behind[running.id]?.record == running && behind.begun == 1)
        let ended = behind.record(succeeded, since: running, at: now)
        let entry = try #require(ended)
        #expect(entry.stored == waiting && entry.lines.map(\.event) == ["started", "succeeded"])
        behind.recordWritten(running.id, at: now)
        #expect(behind.ids.isEmpty && behind.begun == 0 && behind.dueAt == nil)
    }

    @Test func laggingWritesAreDueSoon() {
        var behind = WriteBehind()
        _ = behind.record(running, since: waiting, at: now)
        #expect(behind.dueAt == now + .seconds(1))
        #expect(!behind.isDue(at: now) && behind.isDue(at: now + .seconds(1)))
        #expect(behind.isDue(at: WallTime(seconds: 999)))
    }

    @Test func aTurnThatIsNotCommittedPutsBackWhatLagged() {
        var behind = WriteBehind()
        _ = behind.record(running, since: waiting, at: now)
        behind.undo(at: now)
        #expect(behind.ids.isEmpty && behind.begun == 0)
        _ = behind.record(running, since: waiting, at: now)
        behind.didCommit()
        behind.recordWritten(running.id, at: now)
        behind.undo(at: now)
        #expect(behind.ids == [running.id] && behind.begun == 1)
    }

    @Test func earlyStartIsNotUndone() {
        var behind = WriteBehind()
        let without = behind.beginsEarly(running, [.stop])
        _ = behind.record(running, since: waiting, at: now)
        let with = behind.beginsEarly(running, [.stop])
        #expect(!without && with)
        behind.undo(at: now)
        #expect(behind.ids == [running.id])
        let (first, second) = (behind.takeEarlyActions(), behind.takeEarlyActions())
        #expect(first.map(\.0) == [running.id] && second.isEmpty)
    }

    @Test func credentialTransferDoesNotStartEarly() {
        var behind = WriteBehind()
        var named = running
        named.spec.options.credentialName = CredentialName("photos")
        var before = waiting
        before.spec = named.spec
        _ = behind.record(named, since: before, at: now)
        let beginsEarly = behind.beginsEarly(named, [.stop])
        #expect(behind[named.id]?.record == named && !beginsEarly)
    }
}
