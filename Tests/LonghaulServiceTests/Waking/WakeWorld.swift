import Glibc
import LonghaulClient
import LonghaulCore
import LonghaulIPC
import SocketTestSupport
import TestSupport

/// A service, a server, and an app that is not there: `WakeSample`, which writes down what it sees.
final class WakeWorld: Sendable {
    enum Mode: String {
        case crash, ignore, acknowledge
    }

    static let session = SessionID("org.example.photos")!
    static let program = Product.directory + "/WakeSample"

    let product: Product
    let server: NastyServer
    /// The app's lines as they come.
    let log: ChildProcess

    init() throws {
        product = try Product()
        server = try NastyServer(routes: ["/ok": Route(.status(200))])
        try product.home.write([], to: "work/log")
        log = try ChildProcess(product.call("WakeSample"), following: product.home.path("work/log"))
    }

    /// What the app does when it is woken next.
    func set(_ mode: Mode) throws {
        try product.home.write(Array(mode.rawValue.utf8), to: "work/mode")
    }

    /// The app's command line.
    var app: [String] { [Self.program, product.home.path("work/log"), product.home.path("work/mode")] }

    /// A transfer that is over in a moment.
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

    /// Waits until so many lines begin like this.
    func wait(for count: Int = 1, _ line: String) async throws {
        try await log.waitForOutput(for: "\(count) × \(line)") { output in
            output.split(separator: "\n").count { $0.hasPrefix(line) } >= count ? () : nil
        }
    }

    /// The app's lines that begin like this.
    func lines(_ beginning: String) -> [String] {
        log.output.split(separator: "\n").map(String.init).filter { $0.hasPrefix(beginning) }
    }

    /// Asks until the status is the way it is waited for; each question waits for the answer of the service alone.
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
