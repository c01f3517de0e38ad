import Glibc
import Longhaul

/// A program that submits one request, and then waits to be killed. The request must be delivered in any case.
///
/// `LastRequestSample <url>`
///
/// With `LastRequestSample <url> stay|close`, it sets the request as its last will instead, and keeps running or says goodbye. With
/// another argument `here`, it runs its session itself.
@main
struct LastRequestSample {
    static func main() async throws {
        var configuration = TransferSession.Configuration()
        configuration.network.caFile = getenv("LONGHAUL_TEST_CA").map { String(cString: $0) } ?? ""
        if CommandLine.arguments.contains("here") { configuration.execution = .inProcess() }
        let session = try await TransferSession.open("org.example.last-request", configuration: configuration)
        if CommandLine.arguments.count > 2 {
            try await session.setLastWill(.request(CommandLine.arguments[1], method: "POST", body: [1]))
            if CommandLine.arguments[2] == "close" { await session.close() }
            report("left")
            try await Task.sleep(for: .seconds(600))
        }
        let begin = ContinuousClock.now
        _ = try await session.request(
            CommandLine.arguments[1], method: "POST", body: [1], options: .atTermination)
        let took = ContinuousClock.now - begin
        report("sent \(Int(took / .microseconds(1)))")
        try await Task.sleep(for: .seconds(600))
    }

    private static func report(_ text: String) {
        let line = Array((text + "\n").utf8)
        _ = line.withUnsafeBytes { write(STDOUT_FILENO, $0.baseAddress, $0.count) }
    }
}
