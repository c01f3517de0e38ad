import Glibc
import LonghaulClient
import LonghaulCore
import LonghaulIPC
import LonghaulSystem
import SocketTestSupport
import TestSupport
import Testing

/// A service without present work lets the processor sleep.
@Suite(.timeLimit(.minutes(6)), .enabled(if: Product.missing == nil, "\(Product.missing ?? "")"))
struct IdleTests {
    private static let session = SessionID("org.example.storms")!
    private let product: Product

    init() throws {
        product = try Product()
    }

    /// How long it is measured; `LONGHAUL_TEST_IDLE_SECONDS` overrides it.
    private var seconds: Int {
        ProcessEnvironment.current["LONGHAUL_TEST_IDLE_SECONDS"].flatMap { Int($0) } ?? 10
    }

    @Test(arguments: [(10_000, false), (10_000, true), (0, true)])
    func aServiceThatWaitsIsWokenTwiceAMinuteAtMost(pending: Int, isWatched: Bool) async throws {
        let notify = NotifySocket(name: product.home.path("notify"))
        var variables: [String: String] = [:]
        if isWatched {
            variables = try ["NOTIFY_SOCKET": product.home.path("notify"), "WATCHDOG_USEC": watchdogOfTheUnit()]
        }
        // A service with pending work stays with its default options.
        let service = try await RunningService(
            in: product, pending > 0 ? [] : ["--idle-exit", "0"], isKept: true, variables: variables)
        try await submit(pending, service)
        service.release()
        let process = service.process.processID
        var before = wakeUps(of: process)
        var quiet = 0
        // Until it has also released its memory, five seconds after its work.
        while quiet < 14 {
            try await Task.sleep(for: .milliseconds(500))
            let now = wakeUps(of: process)
            quiet = now == before ? quiet + 1 : 0
            before = now
        }
        try await Task.sleep(for: .seconds(seconds))
        let count = wakeUps(of: process) - before
        // A ping to the watchdog causes up to three switches, if one thread waits for another.
        #expect(count <= 3, "in \(seconds) s")
        #expect(notify.messages.all.contains("WATCHDOG=1") == isWatched)
    }

    private func submit(_ count: Int, _ service: RunningService) async throws {
        guard count > 0 else { return }
        let connection = try await service.connect()
        defer { connection.close() }
        let far = WallTime(seconds: Int64(time(nil)) + 86_400)
        // Many at once share a wait for the disk.
        for begin in stride(from: 0, to: count, by: 100) {
            try await withThrowingTaskGroup(of: Void.self) { group in
                for number in begin..<min(begin + 100, count) {
                    let request = BackgroundTaskRequest.processing(
                        "t\(number)", earliestBeginDate: far + .seconds(Int64(number)))
                    group.addTask { try await connection.submitTask(request, to: Self.session) }
                }
                try await group.waitForAll()
            }
        }
    }

    /// The watchdog time of the unit, in systemd's format.
    private func watchdogOfTheUnit() throws -> String {
        let root = "/" + #filePath.split(separator: "/").dropLast(4).joined(separator: "/")
        let text = text(root + "/packaging/systemd/user/longhaul.service")
        let line = try #require(text.split(separator: "\n").first { $0.hasPrefix("WatchdogSec=") })
        let seconds = try #require(Int(line.dropFirst("WatchdogSec=".count)), "in seconds")
        return String(seconds * 1_000_000)
    }

    /// Returns how often the threads yielded the processor voluntarily: each was woken before.
    private func wakeUps(of process: Int32) -> Int {
        TemporaryDirectory.names(in: "/proc/\(process)/task").reduce(0) { sum, thread in
            // A thread that ends at this moment has no line.
            sum + (field("voluntary_ctxt_switches", "/proc/\(process)/task/\(thread)/status") ?? 0)
        }
    }

    private func field(_ name: String, _ path: String) -> Int? {
        let line = text(path).split(separator: "\n").first { $0.hasPrefix(name) }
        return line?.split(whereSeparator: \.isWhitespace).dropFirst().first.flatMap { Int($0) }
    }

    private func text(_ path: String) -> String {
        guard let file = fopen(path, "re") else { return "" }
        defer { fclose(file) }
        var bytes = [UInt8](repeating: 0, count: 8_192)
        return String(decoding: bytes[..<fread(&bytes, 1, bytes.count, file)], as: UTF8.self)
    }
}
