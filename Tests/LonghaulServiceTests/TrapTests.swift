import CSQLite
import Glibc
import LonghaulClient
import LonghaulCore
import LonghaulIPC
import SocketTestSupport
import TestSupport
import Testing

/// A service that a damaged record crashes, and one that is killed.
@Suite(.enabled(if: Product.missing == nil, "\(Product.missing ?? "")")) struct TrapTests {
    /// How often a service is killed; in the long form, a thousand times.
    private static let kills = Tools.environment["LONGHAUL_TEST_KILLS"].flatMap(Int.init) ?? 12
    private static let session = "state/longhaul/sessions/org.example.films"

    /// The queue uses a column that says that the transfer waits for its turn; its record says that it waits for a
    /// start time. Longhaul never writes such a store, so the transfer's machine traps.
    private func spoilFirstTransfer(_ product: Product) throws {
        var store: OpaquePointer?
        #expect(sqlite3_open(product.home.path(Self.session + "/store.sqlite"), &store) == SQLITE_OK)
        #expect(sqlite3_exec(store, "update transfer set stateCode = 0 where sequence = 1", nil, nil, nil) == SQLITE_OK)
        #expect(sqlite3_close(store) == SQLITE_OK)
    }

    private func end(_ service: RunningService) async throws {
        service.process.signal(SIGKILL)
        try await service.process.waitForEnd()
    }

    @Test func aRecordThatEndsTheServiceIsSetAsideTheSecondTime() async throws {
        let service = try await RunningService()
        let product = service.product
        let whole = try #require(SessionID("org.example.whole"))
        let answers = try await service.connect().submit([.farAway("a"), .farAway("b")], to: .films)
        let others = try await service.connect().submit([.farAway("c")], to: whole)
        let ids = (answers + others).compactMap { if case .accepted(let id) = $0 { id } else { nil } }
        try await end(service)
        try spoilFirstTransfer(product)

        for _ in 1...2 {
            let ending = try await product.startService("--idle-exit", "0").waitForEnd()
            guard case .killed(let signal) = ending else { Issue.record("it ended with \(ending)"); return }
            #expect([SIGILL, SIGTRAP].contains(signal))
        }

        let next = try await RunningService(in: product)
        let connection = try await next.connect()
        guard case .failed(let failure) = try await connection.show(ids[0], in: .films).snapshot.state else {
            Issue.record("the record was not set aside")
            return
        }
        #expect(failure.code == .internalFault && failure.message.contains("report"))
        #expect(try await connection.show(ids[1], in: .films).snapshot.state.isEnded == false)
        #expect(try await connection.show(ids[2], in: whole).snapshot.state.isEnded == false)
        #expect(try await connection.submit([.farAway("d")], to: .films).count == 1)
        #expect(try await connection.control(.remove, .ids([ids[0]]), in: .films).changed == 1)
        #expect(next.process.isRunning)
    }

    @Test func aServiceThatIsKilledAgainAndAgainSetsNothingAside() async throws {
        let service = try await RunningService()
        let product = service.product
        var specs: [TransferSpec] = []
        for number in 0..<50 {
            // No process listens there: each is retried repeatedly.
            var spec = TransferSpec.farAway("f\(number)", url: "http://127.0.0.1:9/\(number)")
            spec.options.earliestBeginDate = nil
            specs.append(spec)
        }
        _ = try await service.connect().submit(specs, to: .films)
        try await end(service)
        for round in 0..<Self.kills {
            var call = product.call("longhauld", ["--idle-exit", "0"])
            // Swift's own handler, which is installed before the service's, continues after a signal that was sent.
            call.environment["SWIFT_BACKTRACE"] = "enable=no"
            let process = try ChildProcess(call)
            // At different times: before it listens, during recovery, and during work.
            usleep(UInt32(round * 7_919 % 60_000))
            process.signal(round % 3 == 0 ? SIGSEGV : SIGKILL)
            try await process.waitForEnd()
        }
        #expect(!product.home.names(Self.session).contains("traps"))
        let next = try await RunningService(in: product)
        let page = try await next.connect().list(ListQuery(limit: 100), in: .films)
        #expect(page.transfers.count == 50)
        for transfer in page.transfers {
            if case .failed(let failure) = transfer.state { #expect(failure.code != .internalFault) }
        }
    }
}
