import CPlatform
import Glibc
import LonghaulClient
import LonghaulCore
import LonghaulIPC
import SocketTestSupport
import TestSupport
import Testing

@Suite(.enabled(if: Product.missing == nil, "\(Product.missing ?? "")")) struct SessionsTests {
    @Test func aSessionIsMadeByItsFirstTransferForItsOwnerAlone() async throws {
        let service = try await RunningService()
        _ = try await service.connect().submit([.farAway()], to: .films)
        var status = stat()
        #expect(stat(service.product.home.path("state/longhaul/sessions/org.example.films"), &status) == 0)
        #expect(status.st_mode & 0o777 == 0o700)
    }

    @Test func aQuestionMakesNoSession() async throws {
        let service = try await RunningService()
        let connection = try await service.connect()
        let id = TransferID(high: 1, low: 2)
        let page = try await connection.list(ListQuery(), in: .films)
        #expect(page == ListPage(transfers: [], hasMore: false, totals: SessionTotals()))
        let error = await #expect(throws: TransferFailure.self) { try await connection.show(id, in: .films) }
        #expect(error?.code == .unknownTransfer)
        await #expect(throws: TransferFailure.self) { try await connection.history(id, in: .films) }
        #expect(try await connection.control(.cancel, .ids([id]), in: .films).refusals.map(\.id) == [id])
        #expect(try await connection.limits(of: .films) == SessionLimits())
        #expect(try await connection.sessions() == [])
        #expect(service.product.home.names("state/longhaul/sessions") == [])
    }

    @Test func limitsAreKept() async throws {
        let service = try await RunningService()
        let connection = try await service.connect()
        let limits = SessionLimits(total: 3, perHost: 2, perGroup: ["films": 1])
        try await connection.setLimits(limits, of: .films)
        #expect(try await connection.limits(of: .films) == limits)
    }

    @Test func theSessionsOnDiskAreThereAfterARestart() async throws {
        let service = try await RunningService()
        for name in ["org.example.a", "org.example.b"] {
            _ = try await service.connect().submit([.farAway()], to: try #require(SessionID(name)))
        }
        service.process.signal(SIGKILL)
        try await service.process.waitForEnd()
        let next = try await RunningService(in: service.product)
        #expect(try await next.connect().sessions().map(\.id.description) == ["org.example.a", "org.example.b"])
    }

    @Test func aSessionOfAnotherProcessIsLeftToItAndTakenOverAfterIt() async throws {
        let product = try Product()
        for name in ["longhaul", "longhaul/sessions", "longhaul/sessions/org.example.films"] {
            try product.home.makeDirectory("state/" + name)
        }
        let layout = SessionLayout(directory: product.home.path("state/longhaul/sessions/org.example.films"))
        let lock = open(layout.lock, O_RDWR | O_CREAT | O_CLOEXEC, 0o600)
        #expect(longhaul_lock_exclusive(lock) == 0)
        let service = try await RunningService(in: product)
        let connection = try await service.connect()
        #expect(try await connection.sessions().map(\.trouble?.code) == [.sessionInUse])
        let error = await #expect(throws: TransferFailure.self) {
            try await connection.submit([.farAway()], to: .films)
        }
        #expect(error?.code == .sessionInUse)
        longhaul_unlock(lock)
        close(lock)
        #expect(try await connection.submit([.farAway()], to: .films).count == 1)
        #expect(try await connection.sessions().map(\.trouble?.code) == [nil])
    }

    @Test func damagedSettingsAreReportedUntilAcknowledged() async throws {
        let service = try await RunningService()
        _ = try await service.connect().setTraffic(TrafficLimits(budget: DataBudget(bytesPerMonth: 1_000)))
        service.process.signal(SIGKILL)
        try await service.process.waitForEnd()
        for name in ["settings", "settings.copy"] { try service.product.home.write([], to: "state/longhaul/" + name) }
        let next = try await RunningService(in: service.product)
        let connection = try await next.connect()
        #expect(try await connection.status().trouble?.code == .storeDamaged)
        #expect(try await connection.conditions().measured.isExpensive == true)
        try await next.process.waitForOutput(containing: "files for all sessions were damaged")
        try await connection.acknowledgeDamage(of: .films)
        #expect(try await connection.status().trouble == nil)
        #expect(try await connection.traffic().limits == TrafficLimits())
        #expect(try await connection.conditions().measured.isExpensive == nil)
    }

    @Test func aDamagedSessionIsReportedAndStopsNoOther() async throws {
        let service = try await RunningService()
        for name in ["org.example.films", "org.example.whole"] {
            _ = try await service.connect().submit([.farAway()], to: try #require(SessionID(name)))
        }
        service.process.signal(SIGKILL)
        try await service.process.waitForEnd()
        let store = "state/longhaul/sessions/org.example.films/store.sqlite"
        for suffix in ["", "-wal", "-shm"] { unlink(service.product.home.path(store + suffix)) }
        try service.product.home.write(Array(repeating: UInt8(ascii: "x"), count: 10_000), to: store)

        let next = try await RunningService(in: service.product)
        let connection = try await next.connect()
        #expect(try await connection.sessions().map(\.trouble?.code) == [.storeDamaged, nil])
        #expect(try await connection.submit([.farAway()], to: .films).count == 1)
        #expect(try await connection.status().sessions.first?.trouble?.code == .storeDamaged)
    }

    /// The process that quarantined it died before it created a new one.
    @Test func quarantinedStoreIsReportedWithoutNewStore() async throws {
        let product = try Product()
        for name in ["longhaul", "longhaul/sessions", "longhaul/sessions/org.example.films"] {
            try product.home.makeDirectory("state/" + name)
            chmod(product.home.path("state/" + name), 0o700)
        }
        let directory = "state/longhaul/sessions/org.example.films"
        for name in ["20250131T235959Z", "20250131T235959Z-wal", "20260131T235959Z", "20260131T235959Z-wal"] {
            try product.home.write([], to: "\(directory)/store.sqlite.damaged-\(name)")
        }
        let service = try await RunningService(in: product)
        let connection = try await service.connect()
        let trouble = try await connection.status().sessions.first?.trouble
        #expect(trouble?.message.contains("damaged-20260131T235959Z") ?? false)
        try await connection.acknowledgeDamage(of: .films)
        try await connection.acknowledgeDamage(of: .films)
        #expect(try await connection.status().sessions.map(\.trouble) == [nil])
        service.process.signal(SIGKILL)
        try await service.process.waitForEnd()
        let next = try await RunningService(in: product)
        #expect(try await next.connect().status().sessions.map(\.trouble) == [nil])
        #expect(product.home.names(directory).count { $0.contains("damaged") && !$0.hasSuffix("noted") } == 4)
    }

    @Test func invalidSessionDirectoriesAreIgnoredAndKept() async throws {
        let product = try Product()
        for name in ["longhaul", "longhaul/sessions", "longhaul/sessions/.hidden", "longhaul/sessions/with space"] {
            try product.home.makeDirectory("state/" + name)
        }
        try product.home.write([], to: "state/longhaul/sessions/file")
        let service = try await RunningService(in: product)
        #expect(try await service.connect().sessions() == [])
        #expect(product.home.names("state/longhaul/sessions") == [".hidden", "file", "with space"])
    }
}
