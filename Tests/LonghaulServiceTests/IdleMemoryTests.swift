import Glibc
import LonghaulClient
import LonghaulCore
import LonghaulIPC
import LonghaulService
import TestSupport
import Testing

@Suite struct IdleMemoryTests {
    private var memory = IdleMemory()
    private let start = SuspendingClock().now

    /// Measures at this time after the start, when the process has used this much.
    private mutating func check(
        _ time: Duration, used: Duration, hasWork: Bool = false
    ) -> (releases: Bool, again: Duration?) {
        let (releases, again) = memory.check(used: { used }, hasWork: { hasWork }, now: start + time)
        return (releases, again.map { $0 - start })
    }

    @Test mutating func aServiceThatHasDoneNothingKeepsWhatItHas() {
        #expect(check(.zero, used: .milliseconds(20)) == (false, nil))
        #expect(check(.seconds(60), used: .milliseconds(30)) == (false, nil))
    }

    @Test mutating func memoryIsGivenBackOnceAfterWork() {
        #expect(check(.zero, used: .seconds(1)) == (false, .seconds(5)))
        #expect(check(.seconds(5), used: .milliseconds(1_010)) == (true, nil))
        #expect(check(.seconds(9), used: .milliseconds(1_020)) == (false, nil))
    }

    @Test mutating func memoryReleaseWaitsForOngoingWork() {
        #expect(check(.zero, used: .seconds(1)).again == .seconds(5))
        #expect(check(.seconds(5), used: .seconds(2)) == (false, .seconds(10)))
        #expect(check(.seconds(10), used: .seconds(2)) == (true, nil))
    }

    @Test mutating func littleWorkDoesNotKeepMuchWorkFromBeingSeen() {
        #expect(check(.zero, used: .milliseconds(20), hasWork: true) == (false, .seconds(300)))
        #expect(check(.seconds(10), used: .seconds(1), hasWork: true) == (false, .seconds(15)))
        #expect(check(.seconds(15), used: .seconds(1), hasWork: true) == (true, .seconds(315)))
    }

    @Test mutating func clientsInBetweenDoNotBringTheLookForward() {
        _ = check(.zero, used: .seconds(1))
        #expect(check(.seconds(2), used: .seconds(1)) == (false, .seconds(5)))
    }

    @Test mutating func memoryIsCheckedPeriodicallyWhileWorkIsPending() {
        _ = check(.zero, used: .seconds(1))
        #expect(check(.seconds(5), used: .seconds(1), hasWork: true) == (true, .seconds(305)))
        #expect(check(.seconds(305), used: .seconds(3), hasWork: true) == (false, .seconds(310)))
        #expect(check(.seconds(310), used: .seconds(3), hasWork: true) == (true, .seconds(610)))
    }

    /// The code is the largest part, and the only one that can be identified from outside.
    @Test(.enabled(if: Product.missing == nil, "\(Product.missing ?? "")"))
    func theServiceGivesItsMemoryBack() async throws {
        let service = try await RunningService()
        let connection = try await service.connect()
        var options = TransferOptions()
        options.earliestBeginDate = WallTime(microseconds: .max / 2)
        let spec = TransferSpec(work: .request(body: []), method: "GET", url: "http://127.0.0.1:9/", options: options)
        _ = try await connection.submit(Array(repeating: spec, count: 2_000), to: .films)
        let process = service.process.processID
        let working = try Self.codeInMemory(of: process)
        let idle = try await aside {
            var code = working
            for _ in 0..<600 where code > working / 2 {
                usleep(100_000)
                code = try Self.codeInMemory(of: process)
            }
            return code
        }
        #expect(idle <= working / 2)
        #expect(try await connection.status().sessions.first?.totals.waiting == 2_000)
    }

    /// Returns the bytes of all executable mappings in memory.
    private static func codeInMemory(of process: pid_t) throws -> Int {
        let file = try #require(fopen("/proc/\(process)/smaps", "re"))
        defer { fclose(file) }
        var (bytes, isCode) = (0, false)
        var line = [CChar](repeating: 0, count: 4_096)
        while fgets(&line, Int32(line.count), file) != nil {
            let text = String(decoding: line.prefix { $0 != 0 }.map { UInt8(bitPattern: $0) }, as: UTF8.self)
            let words = text.split(whereSeparator: \.isWhitespace)
            if words.count >= 5, words[0].contains("-") { isCode = words[1].hasPrefix("r-x") }
            if isCode, words.first == "Rss:" { bytes += (Int(words[1]) ?? 0) << 10 }
        }
        return bytes
    }
}
