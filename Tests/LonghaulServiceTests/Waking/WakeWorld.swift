import Glibc
import LonghaulClient
import LonghaulCore
import LonghaulIPC
import SocketTestSupport
import TestSupport

/// A service, a server, and an app that is not running: `WakeSample`, which logs its events.
final class WakeWorld: Sendable {
    enum Mode: String {
        case crash, ignore, acknowledge
    }

    static let session = SessionID("org.example.photos")!
    static let program = Product.directory + "/WakeSample"

    let product: Product
    let server: NastyServer
    /// The app's lines as they arrive.
    let log: ChildProcess

    init() throws {
        product = try Product()
        server = try NastyServer(routes: ["/ok": Route(.status(200))])
        try product.home.write([], to: "work/log")
        log = try ChildProcess(product.call("WakeSample"), following: product.home.path("work/log"))
    }

    /// Sets the app's behavior at its next launch.
    func set(_ mode: Mode) throws {
        try product.home.write(Array(mode.rawValue.utf8), to: "work/mode")
    }

    /// The app's command line.
    var app: [String] { [Self.program, product.home.path("work/log"), product.home.path("work/mode")] }

    /// Runs a transfer that ends at once.
    func finishOne(_ connection: ServiceConnection, _ change: (inout TransferSpec) -> Void = { _ in }) async throws {
        var spec = TransferSpec(work: .request(body: []), method: "GET", url: server.url("/ok"))
        change(&spec)
        _ = try await connection.submit([spec], to: Self.session)
    }

    func register(
        _ method: WakeMethod, _ connection: ServiceConnection, first: Duration = .milliseconds(300), sends: Bool = true
    ) async throws {
        let backoff = WakeBackoff(first: first, longest: .seconds(60))
        try await connection.setWake(
            WakeRegistration(method, sessionSendsLaunchEvents: sends, backoff: backoff), of: Self.session)
    }

    /// Waits until that many lines start with the text.
    func wait(for count: Int = 1, _ line: String) async throws {
        try await log.waitForOutput(for: "\(count) × \(line)") { output in
            output.split(separator: "\n").count { $0.hasPrefix(line) } >= count ? () : nil
        }
    }

    /// Returns the app's lines that start with the text.
    func lines(_ beginning: String) -> [String] {
        log.output.split(separator: "\n").map(String.init).filter { $0.hasPrefix(beginning) }
    }

    /// Polls until the status matches the condition; each request only waits for the service's answer.
    func status(
        _ connection: ServiceConnection, until fits: (WakeStatus) -> Bool
    ) async throws -> WakeStatus {
        while true {
            let status = try await connection.wakeStatus(of: Self.session)
            if fits(status) { return status }
            try await Task.sleep(for: .milliseconds(10))
        }
    }
}

extension ChildProcess {
    /// Follows a file.
    convenience init(_ call: ProgramCall, following path: String) throws {
        var call = call
        call.path = "/usr/bin/tail"
        call.arguments = ["-n", "+1", "-F", path]
        try self.init(call)
    }
}
