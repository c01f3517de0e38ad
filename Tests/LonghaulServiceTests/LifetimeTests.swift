import CPlatform
import Glibc
import LonghaulClient
import LonghaulCore
import LonghaulIPC
import LonghaulSystem
import SocketTestSupport
import Synchronization
import TestSupport
import Testing

@Suite(.enabled(if: Product.missing == nil, "\(Product.missing ?? "")")) struct LifetimeTests {
    @Test func serviceReportsItsStatus() async throws {
        let service = try await RunningService()
        let status = try await service.connect().status()
        #expect(status.processID == Int(service.process.processID))
        #expect(status.version == Release.version)
        #expect(status.clients == 1)
        #expect(status.residentBytes > 1 << 20)
        #expect(status.stateDirectory == service.product.home.path("state/longhaul"))
        #expect(!status.isSocketActivated)
        #expect(status.sessions == [])
    }

    @Test func secondServiceExitsAndReportsRunningOne() async throws {
        let service = try await RunningService()
        let second = try await service.product.call("longhauld").run()
        #expect(second.ending == .exited(0))
        #expect(second.errorOutput.contains("another longhauld of this user runs"))
        _ = try await service.connect().status()
    }

    /// Locks like another service that does not listen, because it is starting or stopping.
    private func lockAsAnotherService(_ product: Product) throws -> Descriptor {
        try PrivateDirectory.create(product.home.path("state/longhaul"), mayTighten: true)
        let lock = open(product.home.path("state/longhaul/service.lock"), O_RDWR | O_CREAT | O_CLOEXEC, 0o600)
        #expect(longhaul_lock_exclusive(lock) == 0)
        return Descriptor(lock)
    }

    @Test func aServiceNeverRunsBesideOneThatHasTheLock() async throws {
        let product = try Product()
        let lock = try lockAsAnotherService(product)
        let result = try await product.call("longhauld").run()
        withExtendedLifetime(lock) {}
        #expect(result.ending == .exited(0))
        #expect(result.errorOutput.contains("another longhauld of this user runs"))
        #expect(!product.home.exists("state/longhaul/socket"))
    }

    @Test func aServiceFollowsOneThatIsStopping() async throws {
        let product = try Product()
        let release = Mutex<Descriptor?>(try lockAsAnotherService(product))
        let service = Task { try await RunningService(in: product) }
        // A separate thread: the service's time limit must not expire while this task is delayed.
        startThread {
            // The service creates this directory just before it requests the lock.
            while !product.home.exists("state/longhaul/sessions") { usleep(1_000) }
            release.withLock { $0 = nil }
        }
        _ = try await service.value.connect().status()
    }

    @Test func aServiceLeavesWhenOneThatWasFasterBeginsToListen() async throws {
        let product = try Product()
        let lock = try lockAsAnotherService(product)
        let second = try product.startService()
        while !product.home.exists("state/longhaul/sessions") { await Task.yield() }
        let socket = try UnixSocket.listen(path: product.home.path("state/longhaul/socket"))
        #expect(try await second.waitForEnd() == .exited(0))
        withExtendedLifetime((lock, socket)) {}
        #expect(second.errorOutput.contains("another longhauld of this user runs"))
    }

    @Test func aKilledServiceLeavesASocketThatTheNextOneReplaces() async throws {
        let service = try await RunningService()
        service.process.signal(SIGKILL)
        try await service.process.waitForEnd()
        #expect(service.product.home.exists("state/longhaul/socket"))
        let next = try await RunningService(in: service.product)
        _ = try await next.connect().status()
    }

    @Test(arguments: [SIGTERM, SIGINT]) func aSignalStopsItInUnderASecond(_ number: Int32) async throws {
        var times: [Duration] = []
        // A busy machine may be slow sometimes; a wait for a timer would happen each time.
        while times.count < 5, times.last.map({ $0 >= .seconds(1) }) ?? true {
            let service = try await RunningService()
            let connection = try await service.connect()
            _ = try await connection.submit([.farAway()], to: .films)
            // Measured on a separate thread, because this task may be delayed.
            let (ending, time) = try await aside { [process = service.process] in
                let began = ContinuousClock.now
                process.signal(number)
                return (try process.waitForEnd(), ContinuousClock.now - began)
            }
            times.append(time)
            #expect(ending == .exited(0))
            #expect(!service.product.home.exists("state/longhaul/socket"))
            let error = await #expect(throws: TransferFailure.self) { try await connection.status() }
            #expect(error?.code == .serviceUnavailable)
        }
        #expect(times.contains { $0 < .seconds(1) }, "\(times)")
    }

    @Test func aTerminalThatGoesDoesNotEndIt() async throws {
        let service = try await RunningService()
        service.process.signal(SIGHUP)
        service.process.signal(SIGPIPE)
        _ = try await service.connect().status()
    }

    @Test func aClientCanStopIt() async throws {
        let service = try await RunningService()
        try await service.connect().stopService()
        #expect(try await service.process.waitForEnd() == .exited(0))
    }

    @Test func idleServiceExits() async throws {
        let service = try await RunningService(["--idle-exit", "1"], isKept: true)
        _ = try await service.connect().status()
        service.release()
        #expect(try await service.process.waitForEnd() == .exited(0))
        #expect(service.process.output.contains("nothing to do"))
    }

    @Test func aTransferThatWaitsForItsDateKeepsItUntilItIsPaused() async throws {
        let service = try await RunningService(["--idle-exit", "1"], isKept: true)
        _ = try await service.connect().submit([.farAway()], to: .films)
        service.release()
        // Longer than a service without work would have stayed.
        await #expect(throws: TimedOut.self) { try await service.process.waitForEnd(limit: .milliseconds(2_500)) }
        let answer = try await service.connect().control(.pause, .all, in: .films)
        #expect(answer.changed == 1)
        #expect(try await service.process.waitForEnd() == .exited(0))
    }

    @Test func aConnectedClientKeepsIt() async throws {
        let service = try await RunningService(["--idle-exit", "1"], isKept: true)
        let connection = try await service.connect()
        service.release()
        await #expect(throws: TimedOut.self) { try await service.process.waitForEnd(limit: .milliseconds(2_500)) }
        _ = try await connection.status()
    }

    @Test func unusableStateDirectoryFailsStart() async throws {
        let product = try Product()
        try product.home.write([], to: "state/longhaul")
        let result = try await product.call("longhauld").run()
        #expect(result.ending == .exited(1))
        #expect(result.errorOutput.contains("longhauld cannot run"))
    }

    @Test func unknownOptionIsUsageError() async throws {
        let product = try Product()
        let result = try await product.call("longhauld", ["--nope"]).run()
        #expect(result.ending == .exited(64))
        #expect(result.errorOutput == "longhauld: There is no option --nope. See longhauld --help.\n")
    }
}
