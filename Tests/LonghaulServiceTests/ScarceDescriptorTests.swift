import Glibc
import LonghaulClient
import LonghaulCore
import LonghaulIPC
import SocketTestSupport
import TestSupport
import Testing

/// A service that temporarily cannot open more files and connections.
@Suite(.enabled(if: access("/usr/bin/prlimit", X_OK) == 0, "prlimit is not installed"))
struct ScarceDescriptorTests {
    private let service: RunningService

    init() async throws { service = try await RunningService() }

    private var openFiles: [Int] {
        TemporaryDirectory.names(in: "/proc/\(service.process.processID)/fd").compactMap { Int($0) }
    }

    /// From now on, no descriptor with a higher number is available; the hard limit stays.
    private func limitFiles(to number: Int) async throws {
        let result = try await ProgramCall(
            "/usr/bin/prlimit", ["--pid", "\(service.process.processID)", "--nofile=\(number):"]
        ).run()
        #expect(result.ending == .exited(0), "\(result.errorOutput)")
    }

    @Test(.onEachTransport) func transferWaitsForAFreeDescriptor() async throws {
        let server = try NastyServer(routes: ["/f": Route(.status(200, body: "hello"))])
        let connection = try await service.connect()
        defer { connection.close() }
        // Open the session before descriptors run out.
        _ = try await connection.submit([.farAway()], to: .films)
        var spec = TransferSpec.farAway(url: server.url("/f"))
        spec.work = .download(DownloadSpec(directory: service.product.home.path("work"), fileName: "f"))
        spec.options.earliestBeginDate = nil
        spec.options.retryLimit = 0
        spec.network = server.network
        try await limitFiles(to: 4)
        guard case .accepted(let id) = try await connection.submit([spec], to: .films)[0] else {
            throw RawClient.Unexpected.silence
        }
        var hasWaited = false
        var end: TransferState?
        for try await update in connection.watch(.ids([id]), in: .films) {
            let state = update.changed.last?.state
            if case .waiting(let waiting)? = state, waiting.failure?.code == .tooManyOpenFiles, !hasWaited {
                #expect(waiting.reason == .retry)
                hasWaited = true
                try await limitFiles(to: 256)
            }
            if let state, state.isEnded {
                end = state
                break
            }
        }
        #expect(hasWaited && end == .succeeded)
    }

    /// A new session needs about ten descriptors.
    @Test func sessionWithoutDescriptorsNamesTheLimit() async throws {
        let connection = try await service.connect()
        let highest = try #require(openFiles.max())
        var failures: [FailureCode] = []
        for number in 1...40 {
            try await limitFiles(to: highest + number)
            do {
                try await connection.setLimits(SessionLimits(total: 3, perHost: 2), of: .films)
                break
            } catch {
                failures.append(error.code)
            }
        }
        #expect(failures.count > 1 && Set(failures) == [.tooManyOpenFiles], "\(failures)")
        #expect(try await connection.limits(of: .films).total == 3)
    }

    /// The kernel sends SIGXFSZ, which must not end the service.
    @Test func limitOfFileSizesIsNamed() async throws {
        let connection = try await service.connect()
        try await connection.setLimits(SessionLimits(total: 3, perHost: 2), of: .films)
        let result = try await ProgramCall(
            "/usr/bin/prlimit", ["--pid", "\(service.process.processID)", "--fsize=200000:"]
        ).run()
        #expect(result.ending == .exited(0), "\(result.errorOutput)")
        let error = await #expect(throws: TransferFailure.self) {
            for number in 0..<100 { _ = try await connection.submit([.farAway("f\(number)")], to: .films) }
        }
        #expect(error?.code == .storeFailed && error?.message.contains("ulimit -f") ?? false)
        // Queries still work.
        #expect(try await connection.limits(of: .films).total == 3)
    }

    @Test func aClientGetsInWhenNoDescriptorIsLeft() async throws {
        let highest = try #require(openFiles.max())
        try await limitFiles(to: highest + 1)
        // Free descriptors below that are used first; then the spare ones.
        let clients = try (0..<20).map { _ in try service.rawClient() }
        for client in clients {
            try client.send(.status, request: 7)
            guard case .status = try client.receive()?.message else { throw RawClient.Unexpected.silence }
        }
    }

    @Test func waitingClientIsAcceptedWhenDescriptorsBecomeFree() async throws {
        let client = try service.rawClient()
        try await limitFiles(to: 4)
        let late = try RawClient(path: service.socketPath)
        try late.send(.hello(version: 1, program: "late"), request: 1)
        // Connected clients are served meanwhile.
        try client.send(.status, request: 7)
        guard case .status = try client.receive()?.message else { throw RawClient.Unexpected.silence }
        try await limitFiles(to: 256)
        guard case .welcome = try late.receive()?.message else { throw RawClient.Unexpected.silence }
    }
}
