import Glibc
import LonghaulCore
import LonghaulStore
import TestSupport
import Testing

@testable import LonghaulRuntime

/// A session on real files, whose records were changed to contradict them.
@Suite struct ReconcileTests {
    private let temporary: TemporaryDirectory
    private let layout: SessionLayout
    private let now = WallTime(seconds: 1_800_000_000)

    init() throws {
        temporary = try TemporaryDirectory()
        for name in ["session", "session/staged", "files"] { try temporary.makeDirectory(name) }
        layout = SessionLayout(directory: temporary.path("session"))
    }

    private func id(_ number: UInt64) -> TransferID { TransferID(high: 0x0190_0000_0000_7000, low: number) }

    private func download(
        _ number: UInt64, _ state: TransferState, _ change: (inout TransferFacts) -> Void = { _ in }
    ) -> TransferRecord {
        let spec = TransferSpec(
            work: .download(DownloadSpec(directory: temporary.path("files"))), method: "GET",
            url: "http://a.test/\(number)")
        var record = TransferRecord(id: id(number), spec: spec, state: state, createdAt: now)
        if state.isEnded { record.facts.endedAt = now }
        change(&record.facts)
        return record
    }

    private func upload(_ number: UInt64, staged: String, _ state: TransferState) -> TransferRecord {
        let source = SourceFile(
            path: "\(layout.staged)/\(staged)", pin: SourcePin(size: 1, modified: 1, inode: 1, device: 1),
            isStaged: true)
        let spec = TransferSpec(work: .upload(.raw(source)), method: "PUT", url: "http://a.test/\(number)")
        var record = TransferRecord(id: id(number), spec: spec, state: state, createdAt: now)
        if state.isEnded { record.facts.endedAt = now }
        return record
    }

    private func fill(_ records: [TransferRecord]) throws {
        let store = try Store(path: layout.store)
        try store.begin()
        for var record in records { try store.insert(&record, host: "http://a.test") }
        try store.commit()
    }

    /// The engine performs only deletions.
    private func open() throws -> SessionRuntime {
        let now = WallTime(seconds: Int64(time(nil)))
        return try SessionRuntime.open(
            layout: layout,
            environment: RuntimeEnvironment(
                now: { now }, random: { 1 }, bootID: "boot",
                makeEngine: { _, sink in
                    let engine = ScriptedEngine { ticket, event in sink([(ticket, event)]) }
                    engine.answerJobs { job in
                        guard case .files(.discard(let paths)) = job.work else { return nil }
                        for path in paths { unlink(path) }
                        return .discarded(nil)
                    }
                    return engine.whole
                }))
    }

    private func reconcile(_ runtime: SessionRuntime) async throws -> ReconcileReport {
        let replies = TestSupport.Mailbox<SessionReply>()
        runtime.send(.reconcile) { replies.append($0) }
        guard case .reconciled(let report) = try await replies.next() else {
            throw TransferFailure(.internalFault, "no report")
        }
        return report
    }

    @Test func leftoversGoWhatIsForeignStaysAndTheSecondTimeNothingHappens() async throws {
        let partial = "files/\(PartialName.make(id(1)))"
        let foreign = "files/\(PartialName.make(id(99)))"
        for name in [partial, foreign, "files/changed", "files/mine", "session/staged/left"] {
            try temporary.write([1, 2, 3], to: name)
        }
        try fill([
            download(1, .succeeded) { $0.download.finalPath = temporary.path("files/moved") },
            download(2, .succeeded) {
                $0.download.finalPath = temporary.path("files/changed")
                $0.bytesTotal = 9
            },
            download(3, .paused) {
                $0.bytesDone = 5
                $0.download.validators = Validators(entityTag: "\"a\"", lastModified: nil, isSoft: false, total: 9)
            },
            upload(4, staged: "left", .cancelled), upload(5, staged: "gone", .paused),
        ])
        let runtime = try open()
        try temporary.write([1], to: "session/staged/litter")
        try temporary.age("session/staged/litter")
        try temporary.write([1], to: "session/staged/young")

        let report = try await reconcile(runtime)
        #expect(report.checked == 5 && report.omitted == 0)
        #expect(
            report.findings.map(\.kind) == [
                .partialLeftOver, .stagedLeftOver, .stagedForeign, .fileChanged, .partialMissing, .stagedMissing,
                .partialForeign, .fileMissing,
            ])
        let lasting = report.findings.filter { $0.repair == .none }
        var second = try await reconcile(runtime)
        // A record that the cleanup changes meanwhile is not reported.
        for _ in 0..<200 where second.findings != lasting {
            try await Task.sleep(for: .milliseconds(20))
            second = try await reconcile(runtime)
        }
        #expect(second.findings == lasting)
        runtime.stop()
        #expect(temporary.names("files") == [PartialName.make(id(99)), "changed", "mine"])
        #expect(temporary.names("session/staged") == ["young"])
    }

    @Test func unmountedDriveCausesNoFinding() async throws {
        let records = [
            download(1, .succeeded) { $0.download.finalPath = temporary.path("files/a") },
            download(2, .paused) {
                $0.bytesDone = 5
                $0.download.validators = Validators(entityTag: "\"a\"", lastModified: nil, isSoft: false, total: 9)
            },
        ]
        try fill(
            records
                + records.map { record in
                    var record = record
                    record.id = id(record.id == id(1) ? 3 : 4)
                    record.spec.download?.mountPoint = temporary.path("files")
                    return record
                })
        let runtime = try open()
        let report = try await reconcile(runtime)
        #expect(report.checked == 4)
        #expect(report.findings.map(\.transfer) == [id(2), id(1)])
        runtime.stop()
    }

    @Test func aSessionWithoutTransfersAgrees() async throws {
        let runtime = try open()
        #expect(try await reconcile(runtime) == ReconcileReport(checked: 0))
        runtime.stop()
    }

    @Test func reconcileAfterStopFails() async throws {
        let runtime = try open()
        runtime.stop()
        let replies = TestSupport.Mailbox<SessionReply>()
        runtime.reconcile { replies.append($0) }
        guard case .failed(let failure) = try await replies.next() else { return #expect(Bool(false)) }
        #expect(failure.code == .serviceUnavailable)
    }

    @Test func changedRecordIsNotRepaired() throws {
        let finding = ReconcileFinding(.partialLeftOver, transfer: id(1), path: "/files/a")
        try fill([download(1, .paused)])
        let loop = try SessionLoop(
            directory: try SessionDirectory(layout), store: try Store(path: layout.store),
            environment: RuntimeEnvironment(
                now: { WallTime(seconds: 1) }, random: { 1 }, bootID: "boot",
                makeEngine: { _, _ in ScriptedEngine().whole }))
        let seen = ReconcileRecord(download(1, .cancelled))
        let draft = ReconcileDraft(
            checked: 1, items: [ReconcileDraft.Item(finding: finding, seen: seen)], omitted: 0)
        let replies = TestSupport.Mailbox<SessionReply>()
        loop.turn([.reconcile(draft, reply: { replies.append($0) })])
        #expect(replies.all == [.reconciled(ReconcileReport(checked: 1))])
    }
}
