import Glibc
import LonghaulCore
import TestSupport
import Testing

@testable import LonghaulRuntime
@testable import LonghaulStore

/// A store that is damaged or removed while the session runs: the session continues.
@Suite struct StoreRepairTests {
    private let temporary: TemporaryDirectory
    private let layout: SessionLayout

    init() throws {
        temporary = try TemporaryDirectory()
        layout = SessionLayout(directory: temporary.path + "/session")
    }

    /// Damages the store behind the session's back.
    private func spoil(_ sql: String) throws {
        try Store(readingAlong: layout.store).connection.execute(sql)
    }

    @Test func aRecordThatCannotBeReadIsSetAsideAloneWhileTheSessionRuns() async throws {
        let session = try LiveSession(layout)
        _ = await session.send(.setLimits(SessionLimits(total: 1, perHost: 1)))
        let ids = try await session.submit(20)
        let updates = Kept<WatchUpdate>()
        _ = session.runtime.watch(.all) { updates.keep($0) }
        _ = try await session.engines.all[0].waitForJob()
        await session.forgetNewcomers()
        try spoil("update spec set spec = x'ff' where sequence = 7")
        let left = try await session.list().map(\.id)
        #expect(left == ids.enumerated().filter { $0.offset != 6 }.map(\.element))
        let damage = try #require(SessionDirectory.damage(in: layout))
        #expect(damage.message.contains("19 of 20 transfers recovered"))
        // Running transfers continue with the next engine, and watchers get the whole list again.
        #expect(session.engines.all.count == 2 && session.engines.all[0].isShutDown)
        _ = try await session.engines.all[1].waitForJob()
        _ = await session.send(.limits)
        #expect(updates.all.count(where: \.completesList) == 2)
        // A watcher that knew the lost transfer gets the list again, without it.
        let lists = updates.all.filter(\.beginsList)
        #expect(lists.map(\.completesList) == [true, true])
        #expect(lists.last?.changed.map(\.id).sorted() == left.sorted())
        let more = try await session.submit(1)
        #expect(try await session.list().map(\.id) == left + more)
        session.runtime.stop()
        #expect(try Store(path: layout.store).ids(.all, ended: nil) == left + more)
    }

    /// Recently submitted transfers are still in memory, and so are running ones.
    @Test func transfersInMemorySurviveDamage() async throws {
        let session = try LiveSession(layout)
        let ids = try await session.submit(5)
        try spoil("update spec set spec = x'ff'; update transfer set facts = x'ff'")
        #expect(try await session.list().map(\.id) == ids)
        #expect(SessionDirectory.damage(in: layout)?.message.contains("5 of 5 transfers recovered") ?? false)
        session.runtime.stop()
    }

    @Test func storeRepairDoesNotCountAsOwnerLoss() async throws {
        let session = try LiveSession(layout)
        _ = await session.send(.setOwnerLossPolicy(.cancel))
        let ids = try await session.submit(3)
        try spoil("update spec set spec = x'ff' where sequence = 2")
        let left = try await session.list()
        #expect(left.map(\.id) == ids && left.allSatisfy { !$0.state.isEnded })
        session.runtime.stop()
    }

    @Test func deletedStoreIsRewrittenWithoutLoss() async throws {
        let session = try LiveSession(layout)
        let ids = try await session.submit(20)
        TemporaryDirectory.remove(layout.directory)
        let more = try await session.submit(1)
        #expect(try await session.list().map(\.id) == ids + more)
        session.runtime.stop()
        let again = try LiveSession(layout)
        #expect(try await again.list().map(\.id) == ids + more)
        #expect(SessionDirectory.damage(in: layout) == nil, "nothing is lost")
        again.runtime.stop()
    }

    @Test func sessionFailsIfAnotherOwnsItsRecreatedDirectory() async throws {
        let session = try LiveSession(layout)
        _ = try await session.submit(2)
        TemporaryDirectory.remove(layout.directory)
        let other = try SessionDirectory(layout)
        guard case .failed(let failure) = await session.send(.submit([LoopWorld.request()])) else {
            return #expect(Bool(false), "it was accepted")
        }
        #expect(failure.code == .storeFailed || failure.code == .sessionInUse)
        withExtendedLifetime(other) {}
        session.runtime.stop()
    }

    @Test func reconciliationFindsAndRepairsIndexDamage() async throws {
        let session = try LiveSession(layout)
        _ = try await session.submit(20)
        // An index without one entry: no row is wrong.
        try spoil(
            """
            pragma writable_schema = on;
            update sqlite_schema set sql = replace(sql, 'hasCleanup = 1', 'hasCleanup = 0') where name = 'transferCleanup'
            """)
        guard case .reconciled(let report) = await session.send(.reconcile) else {
            return #expect(Bool(false), "no report")
        }
        #expect(report.checked == 20)
        #expect(SessionDirectory.damage(in: layout)?.message.contains("20 of 20 transfers recovered") ?? false)
        session.runtime.stop()
    }

    @Test func removedTransfersLeaveNoBytesInFiles() async throws {
        let session = try LiveSession(layout)
        let specs = (0..<30).map { _ in LoopWorld.request("http://ada:canary-4711@a.test/") }
        guard case .submitted = await session.send(.submit(specs)) else { return #expect(Bool(false)) }
        _ = await session.send(.control(.cancel, .all))
        _ = await session.send(.control(.remove, .all))
        let deadline = ContinuousClock.now + .patience
        while canaries > 0, ContinuousClock.now < deadline { try await Task.sleep(for: .milliseconds(20)) }
        #expect(canaries == 0)
        session.runtime.stop()
        #expect(canaries == 0)
    }

    private var canaries: Int {
        temporary.names("session").count { name in
            let bytes = (try? temporary.read("session/" + name)) ?? []
            return bytes.indices.contains { bytes[$0...].starts(with: Array("canary-4711".utf8)) }
        }
    }
}
