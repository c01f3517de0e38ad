import CPlatform
import Glibc
import LonghaulClient
import LonghaulCore
import LonghaulIPC
import LonghaulSystem
import Synchronization
import TestSupport
import Testing

@Suite(.enabled(if: Product.missing == nil, "\(Product.missing ?? "")")) struct StartOnDemandTests {
    private let product: Product

    init() throws {
        product = try Product()
    }

    private func open() async throws -> ServiceConnection {
        try await ServiceConnection.open(startsService: true, environment: product.environment)
    }

    @Test func theFirstClientStartsTheService() async throws {
        let connection = try await open()
        #expect(try await connection.status().processID == Int(try #require(product.processes.first)))
        var status = stat()
        #expect(stat(product.home.path("state/longhaul/longhauld.log"), &status) == 0)
        #expect(status.st_mode & 0o777 == 0o600)
        #expect(
            try String(decoding: product.home.read("state/longhaul/longhauld.log"), as: UTF8.self).contains("started"))
    }

    @Test func disallowedStartNamesRemedy() async throws {
        let failure = await #expect(throws: TransferFailure.self) {
            try await ServiceConnection.open(startsService: false, environment: product.environment)
        }
        #expect(failure?.message.contains("longhaul service start") ?? false)
    }

    @Test func theServiceInheritsNothingOfItsStarter() async throws {
        let id = Int32(try await open().status().processID)
        #expect(getsid(id) != getsid(0))
        #expect(id != getsid(id), "it can get no controlling terminal")
        #expect(target(of: "/proc/\(id)/cwd") == "/")
        #expect(target(of: "/proc/\(id)/fd/0") == "/dev/null")
        #expect(target(of: "/proc/\(id)/fd/1") == "/dev/null")
        // Descriptors 0 to 2, its lock, and its own sockets and kernel events, never a file of the starter.
        let files = (3..<64).compactMap { target(of: "/proc/\(id)/fd/\($0)") }.filter { $0.hasPrefix("/") }
        #expect(files.allSatisfy { $0.hasSuffix("/service.lock") })
    }

    private func target(of link: String) -> String? {
        var bytes = [CChar](repeating: 0, count: 256)
        let count = readlink(link, &bytes, bytes.count)
        return count < 0 ? nil : String(decoding: bytes[..<count].map(UInt8.init(bitPattern:)), as: UTF8.self)
    }

    @Test func manyClientsAtOnceEndWithOneService() async throws {
        let ids = try await withThrowingTaskGroup(of: Int.self) { [self] group in
            for _ in 0..<12 { group.addTask { try await open().status().processID } }
            return try await group.reduce(into: Set<Int>()) { $0.insert($1) }
        }
        #expect(ids.count == 1)
        let log = String(decoding: try product.home.read("state/longhaul/longhauld.log"), as: UTF8.self)
        #expect(log.split(separator: "\n").count { $0.contains(" longhauld: started ") } == 1)
    }

    @Test func aServiceThatStopsIsFollowedByAnother() async throws {
        var ids: Set<Int> = []
        for _ in 0..<8 {
            let connection = try await open()
            ids.insert(try await connection.status().processID)
            try await connection.stopService()
        }
        #expect(ids.count == 8)
    }

    @Test func aServiceThatLeavesBeforeItAnsweredIsFollowedByAnother() async throws {
        try product.home.makeDirectory("state/longhaul")
        let path = product.home.path("state/longhaul/socket")
        let leaving = Mutex<Descriptor?>(try UnixSocket.listen(path: path))
        startThread {
            let number = leaving.withLock { $0?.number ?? -1 }
            var wait = pollfd(fd: number, events: Int16(POLLIN), revents: 0)
            poll(&wait, 1, 60_000)
            let client = longhaul_accept(number)
            unlink(path)
            leaving.withLock { $0 = nil }
            close(client)
        }
        #expect(try await open().status().processID != Int(getpid()))
    }

    @Test func aServiceThatCannotRunIsNamedWithItsLog() async throws {
        try product.home.makeDirectory("state/longhaul")
        try product.home.makeDirectory("state/longhaul/service.lock")
        let error = await #expect(throws: TransferFailure.self) { try await open() }
        #expect(error?.code == .serviceUnavailable)
        #expect(error?.message.contains("longhauld.log") == true)
    }

    @Test func aLongLogIsPutAside() async throws {
        try product.home.makeDirectory("state/longhaul")
        try product.home.write([UInt8](repeating: 10, count: (1 << 20) + 1), to: "state/longhaul/longhauld.log")
        _ = try await open()
        #expect(try product.home.read("state/longhaul/longhauld.log.1").count == (1 << 20) + 1)
        #expect(try product.home.read("state/longhaul/longhauld.log").count < 1_000)
    }

    @Test func aCancelledOpeningEnds() async throws {
        let task = Task { [self] in
            while true { try await open().close() }
        }
        _ = try await open()
        task.cancel()
        let error = await #expect(throws: TransferFailure.self) { try await task.value }
        #expect(error?.code == .interrupted)
    }
}
