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
    /// How often a log is cut; in the long form, a hundred times.
    private static let cuts = Tools.environment["LONGHAUL_TEST_CUTS"].flatMap(Int.init) ?? 6
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

    /// While no service runs, a log loses its end. That loses no transfer, or the loss is reported until it is acknowledged.
    @Test func cutLogLosesNoTransferSilently() async throws {
        var chance = SeededChance(seed: 61)
        var losses = 0
        for round in 0..<Self.cuts {
            let (product, ids) = try await killedQueue(&chance)
            var log = try product.home.read(Self.session + "/store.sqlite-wal")
            let cut = Int.random(in: 0...log.count, using: &chance)
            log.removeSubrange(cut...)
            try product.home.write(log, to: Self.session + "/store.sqlite-wal")
            let list = try await product.longhaul("list", "--session", "org.example.films", "--json")
            let found = ids.count { list.output.contains($0.description) }
            let what: Comment = "round \(round), cut at \(cut): \(found) of \(ids.count), \(list.errorOutput)"
            let isDamaged = list.ending == .exited(14)
            #expect(list.ending == .exited(0) || isDamaged, what)
            #expect(list.errorOutput.contains("The queue was damaged") == isDamaged, what)
            #expect(found == ids.count || isDamaged, what)
            losses += isDamaged ? 1 : 0
            for ending in [isDamaged ? 12 : 0, 0] as [Int32] {
                #expect(try await product.longhaul("doctor").ending == .exited(ending), what)
                try await product.killService()
                #expect(try await product.longhaul("doctor").ending == .exited(ending), "no service, \(what)")
                _ = try await product.longhaul("session", "org.example.films", "--acknowledge-damage")
            }
            #expect(try await product.longhaul("list", "--session", "org.example.films").ending == .exited(0), what)
        }
        print("cut logs: \(Self.cuts), \(losses) losses, all reported")
    }

    /// Returns a home whose service was killed, and its transfers: some may be in the store, and others only in the log.
    private func killedQueue(_ chance: inout SeededChance) async throws -> (Product, [TransferID]) {
        let product = try Product()
        var ids: [TransferID] = []
        let lives = Int.random(in: 1...2, using: &chance)
        for life in 1...lives {
            let service = try await RunningService(in: product)
            let connection = try await service.connect()
            for _ in 0..<Int.random(in: 1...8, using: &chance) {
                let specs = (0..<Int.random(in: 1...60, using: &chance)).map {
                    TransferSpec.farAway("f\(ids.count + $0)")
                }
                ids += try await connection.submit(specs, to: .films).compactMap {
                    if case .accepted(let id) = $0 { id } else { nil }
                }
            }
            connection.close()
            // A stopped service copies its log to the store.
            service.process.signal(life == lives || Bool.random(using: &chance) ? SIGKILL : SIGTERM)
            try await service.process.waitForEnd()
        }
        return (product, ids)
    }
}
