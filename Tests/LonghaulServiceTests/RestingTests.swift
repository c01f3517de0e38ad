import Glibc
import LonghaulClient
import LonghaulCore
import LonghaulIPC
import LonghaulSystem
import SocketTestSupport
import TestSupport
import Testing

/// Sessions with nothing to do, which a real service closes.
@Suite(.enabled(if: Product.missing == nil, "\(Product.missing ?? "")")) struct RestingTests {
    struct Cost {
        let descriptors: Int
        let threads: Int

        init(of service: RunningService) {
            let process = "/proc/\(service.process.processID)"
            descriptors = TemporaryDirectory.names(in: process + "/fd").count
            threads = TemporaryDirectory.names(in: process + "/task").count
        }
    }

    private static func name(_ number: Int) throws -> SessionID { try #require(SessionID("org.example.s\(number)")) }

    /// Creates sessions with a setting, several at a time.
    private static func create(_ numbers: Range<Int>, in service: RunningService) async throws {
        try await withThrowingTaskGroup(of: Void.self) { group in
            for part in 0..<4 {
                group.addTask {
                    let connection = try await service.connect()
                    defer { connection.close() }
                    for number in numbers where number % 4 == part {
                        try await connection.setLimits(SessionLimits(total: 3, perHost: 2), of: name(number))
                    }
                }
            }
            try await group.waitForAll()
        }
    }

    private static func directory(_ number: Int) -> String { "state/longhaul/sessions/org.example.s\(number)" }

    /// Whether the session is closed: SQLite deletes the log last.
    private static func isAtRest(_ number: Int, in product: Product) -> Bool {
        let names = product.home.names(directory(number))
        return names.contains("rest") && !names.contains("store.sqlite-wal")
    }

    private static func modified(_ number: Int, in product: Product) throws -> Int64 {
        try FileStatus(of: product.home.path(directory(number) + "/store.sqlite")).modified
    }

    /// Waits until the sessions are closed.
    private static func waitForRest(of numbers: some Sequence<Int>, in product: Product) async throws {
        for number in numbers { try await wait { isAtRest(number, in: product) } }
    }

    private static func wait(_ limit: Duration = .patience, until holds: () throws -> Bool) async throws {
        let end = ContinuousClock.now + limit
        while try !holds() {
            try #require(ContinuousClock.now < end, "timed out waiting for the condition")
            try await Task.sleep(for: .milliseconds(20))
        }
    }

    private static func waitForCost(_ service: RunningService, within base: Cost) async throws -> Cost {
        try await wait(.seconds(300)) {
            let cost = Cost(of: service)
            return cost.descriptors <= base.descriptors + 100 && cost.threads <= base.threads + 20
        }
        return Cost(of: service)
    }

    /// Prints the numbers in `Benchmarks/history.md`.
    @Test(.timeLimit(.minutes(15))) func twoThousandIdleSessionsCostNoMoreThanOne() async throws {
        let service = try await RunningService()
        let product = service.product
        try await Self.create(0..<1, in: service)
        let one = Cost(of: service)
        try await Self.create(1..<2_000, in: service)
        let many = try await Self.waitForCost(service, within: one)
        print("one session: \(one); 2,000 sessions: \(many)")

        service.process.signal(SIGTERM)
        try await service.process.waitForEnd()
        let next = try await RunningService(in: product)
        let connection = try await next.connect()
        let sessions = try await connection.sessions()
        #expect(sessions.count == 2_000 && sessions.allSatisfy { $0.trouble == nil })
        let restarted = try await Self.waitForCost(next, within: one)
        print("2,000 sessions after a restart: \(restarted)")
        #expect(try await connection.limits(of: Self.name(1_234)).total == 3)
    }

    @Test func closedSessionAnswersNextRequest() async throws {
        let service = try await RunningService()
        let connection = try await service.connect()
        try await Self.create(0..<1, in: service)
        let id = try await Self.submitPaused(to: 0, connection)
        try await Self.waitForRest(of: 0..<1, in: service.product)
        let status = try await connection.status().sessions
        #expect(status.map(\.totals.paused) == [1] && status.map(\.trouble) == [nil])
        #expect(try await connection.list(ListQuery(), in: Self.name(0)).transfers.map(\.id) == [id])
    }

    private static func submitPaused(to number: Int, _ connection: ServiceConnection) async throws -> TransferID {
        guard case .accepted(let id)? = try await connection.submit([.farAway()], to: name(number)).first else {
            throw RawClient.Unexpected.silence
        }
        _ = try await connection.control(.pause, .ids([id]), in: name(number))
        return id
    }

    /// With more sessions than the service keeps open, each is closed and opened again many times.
    @Test func requestsNeverMeetAClosingSession() async throws {
        let service = try await RunningService()
        try await Self.create(0..<8, in: service)
        try await withThrowingTaskGroup(of: Void.self) { group in
            for part in 0..<8 {
                group.addTask {
                    let connection = try await service.connect()
                    defer { connection.close() }
                    for round in 0..<40 {
                        let session = try Self.name((part + round) % 8)
                        let answers = try await connection.submit([.farAway("f\(part)-\(round)")], to: session)
                        guard case .accepted(let id)? = answers.first else { throw RawClient.Unexpected.silence }
                        let report = try await connection.control(.cancel, .ids([id]), in: session)
                        #expect(report.refusals.isEmpty)
                        try await Task.sleep(for: .milliseconds(Int64((part * 7 + round * 13) % 150)))
                    }
                }
            }
            try await group.waitForAll()
        }
        let connection = try await service.connect()
        var cancelled = 0
        for number in 0..<8 {
            cancelled += try await connection.list(ListQuery(), in: Self.name(number)).totals.cancelled
        }
        #expect(cancelled == 320)
    }

    @Test(.onEachTransport) func transferStartsAtItsDateAmongIdleSessions() async throws {
        let server = try NastyServer(routes: ["/f": Route(.status(200, body: "hello"))])
        let service = try await RunningService()
        let connection = try await service.connect()
        var spec = TransferSpec.farAway(url: server.url("/f"))
        spec.work = .download(DownloadSpec(directory: service.product.home.path("work"), fileName: "f"))
        spec.options.earliestBeginDate = SystemClock.wallTime() + .seconds(8)
        spec.network = server.network
        _ = try await connection.submit([spec], to: Self.name(0))
        connection.close()
        try await Self.create(1..<8, in: service)
        // The others are closed before the date.
        try await Self.wait { (1..<8).count { Self.isAtRest($0, in: service.product) } >= 4 }
        #expect(!Self.isAtRest(0, in: service.product))
        try await service.product.home.waitForBytes(of: "work/f", count: 5)
    }

    /// The deadline of a paused transfer still counts.
    @Test func restingSessionOpensAtItsDeadline() async throws {
        let service = try await RunningService()
        let connection = try await service.connect()
        var spec = TransferSpec.farAway()
        // The time limit would count from the date. Without one, the transfer waits for a retry.
        spec.options.earliestBeginDate = nil
        spec.options.timeoutIntervalForResource = .seconds(45)
        guard case .accepted(let id)? = try await connection.submit([spec], to: Self.name(0)).first else {
            throw RawClient.Unexpected.silence
        }
        _ = try await connection.control(.pause, .ids([id]), in: Self.name(0))
        try await Self.waitForRest(of: 0..<1, in: service.product)
        #expect(try await connection.sessions().map(\.totals.paused) == [1])
        let end = ContinuousClock.now + .seconds(120)
        while try await connection.sessions().map(\.totals.failed) != [1] {
            try #require(ContinuousClock.now < end)
            try await Task.sleep(for: .milliseconds(200))
        }
    }

    @Test func watchedSessionStaysOpen() async throws {
        let service = try await RunningService()
        let connection = try await service.connect()
        try await Self.create(0..<1, in: service)
        let session = try Self.name(0)
        var updates = connection.watch(.all, in: session).makeAsyncIterator()
        _ = try await updates.next()
        try await Self.create(1..<8, in: service)
        // Longer than an unwatched session stays open.
        try await Self.waitForRest(of: 1..<8, in: service.product)
        #expect(!Self.isAtRest(0, in: service.product))
        let id = try await Self.submitPaused(to: 0, try await service.connect())
        var isSeen = false
        while !isSeen, let update = try await updates.next() { isSeen = update.changed.contains { $0.id == id } }
        #expect(isSeen)
    }

    @Test func watchOfRestingSessionSeesItsNextTransfer() async throws {
        let service = try await RunningService()
        let connection = try await service.connect()
        try await Self.create(0..<8, in: service)
        try await Self.waitForRest(of: 0..<1, in: service.product)
        let session = try Self.name(0)
        var updates = connection.watch(.all, in: session).makeAsyncIterator()
        _ = try await updates.next()
        let id = try await Self.submitPaused(to: 0, try await service.connect())
        var isSeen = false
        while !isSeen, let update = try await updates.next() { isSeen = update.changed.contains { $0.id == id } }
        #expect(isSeen)
    }

    /// The new owner need not know the service.
    @Test func ownerOfRestingSessionIsNoticedAndSucceeded() async throws {
        let service = try await RunningService()
        try await Self.create(0..<8, in: service)
        try await Self.waitForRest(of: 0..<1, in: service.product)
        let app = try await Embedded(in: service.product, Self.name(0))
        #expect(app.isOpen)
        try await service.process.waitForOutput(containing: "session run by another process session=org.example.s0\n")
        try await app.kill()
        try await service.process.waitForOutput(containing: "session taken over session=org.example.s0\n")
    }

    @Test func killedServiceLeavesSessionsAtRest() async throws {
        let service = try await RunningService()
        try await Self.create(0..<8, in: service)
        try await Self.waitForRest(of: 0..<8, in: service.product)
        let before = try Self.modified(0, in: service.product)
        service.process.signal(SIGKILL)
        try await service.process.waitForEnd()
        let next = try await RunningService(in: service.product)
        #expect(try await next.connect().sessions().count == 8)
        #expect(try Self.modified(0, in: service.product) == before)
    }

    /// Another owner left work in the session while no service ran.
    @Test func restartOpensSessionThatChanged() async throws {
        let service = try await RunningService()
        try await Self.create(0..<1, in: service)
        try await Self.waitForRest(of: 0..<1, in: service.product)
        let old = try service.product.home.read(Self.directory(0) + "/rest")
        _ = try await service.connect().submit([.farAway()], to: Self.name(0))
        service.process.signal(SIGTERM)
        try await service.process.waitForEnd()
        try service.product.home.write(old, to: Self.directory(0) + "/rest")
        let next = try await RunningService(in: service.product)
        #expect(try await next.connect().sessions().map(\.totals.waiting) == [1])
    }
}
