import Glibc
import Longhaul

/// A program that sends one request to be delivered whatever happens to it, and then waits to be killed.
///
/// `LastRequestSample <url>`
@main
struct LastRequestSample {
    static func main() async throws {
        var configuration = TransferSession.Configuration()
        configuration.network.caFile = getenv("LONGHAUL_TEST_CA").map { String(cString: $0) } ?? ""
        let session = try await TransferSession.open("org.example.last-request", configuration: configuration)
        let begin = ContinuousClock.now
        _ = try await session.send(CommandLine.arguments[1], body: [1])
        let took = ContinuousClock.now - begin
        let line = Array("sent \(Int(took / .microseconds(1)))\n".utf8)
        _ = line.withUnsafeBytes { write(STDOUT_FILENO, $0.baseAddress, $0.count) }
        try await Task.sleep(for: .seconds(600))
    }
}
