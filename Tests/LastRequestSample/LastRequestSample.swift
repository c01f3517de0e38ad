import Glibc
import Longhaul
import LonghaulClient

/// A program that sends one request to be delivered whatever happens to it, and then waits to be killed.
///
/// `LastRequestSample <url>`
@main
struct LastRequestSample {
    static func main() async throws {
        let connection = try await ServiceConnection.open()
        let last = LastRequest(now: now, random: { .random(in: .min ... .max) }) { spec throws(TransferFailure) in
            switch try await connection.submit([spec], to: .commandLine).first {
            case .accepted(let id), .existing(let id): return id
            case .refused(let failure): throw failure
            case nil: throw TransferFailure(.internalFault, "there was no answer")
            }
        }
        let request = TransferSpec(work: .request(body: [1]), method: "POST", url: CommandLine.arguments[1])
        let begin = ContinuousClock.now
        _ = try await last.send(request)
        let took = ContinuousClock.now - begin
        let line = Array("sent \(Int(took / .microseconds(1)))\n".utf8)
        _ = line.withUnsafeBytes { write(STDOUT_FILENO, $0.baseAddress, $0.count) }
        try await Task.sleep(for: .seconds(600))
    }

    @Sendable private static func now() -> WallTime {
        var time = timespec()
        clock_gettime(CLOCK_REALTIME, &time)
        return WallTime(microseconds: Int64(time.tv_sec) * 1_000_000 + Int64(time.tv_nsec) / 1_000)
    }
}
