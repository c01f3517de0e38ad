import Foundation
import LonghaulCore
import ReferenceSystems
import Synchronization
import TestSupport
import Testing

/// Processes of a Linux app, with the service or without it.
final class LinuxEnvironment: Environment {
    let server = ServerScript()
    private let kind: EnvironmentKind
    private let system: System
    private let product: Product
    private let listener: NastyServer
    private let app = Mutex<ChildProcess?>(nil)

    init(_ kind: EnvironmentKind, _ system: System) throws {
        self.kind = kind
        self.system = system
        product = try Product()
        listener = try NastyServer(routes: ["/*": server.route])
        try product.home.write(ServerScript.photo, to: "work/photo.jpg")
        if kind == .inProcess { try product.keepServiceOut() }
    }

    var directory: String { product.home.path("work") }

    var arrivals: [ServerScript.Arrival] {
        listener.requests.filter(\.isBodyComplete).map {
            ServerScript.Arrival(
                method: $0.method, path: $0.path, idempotencyKey: $0.header("Idempotency-Key"), body: $0.body)
        }
    }

    var bytesMoved: Int64 { listener.requests.reduce(0) { $0 + $1.bodyLength + $1.responseBytes } }

    var shown: [String] {
        // The file is missing until the app has shown something.
        let text = (try? product.home.read("work/shown")).map { String(decoding: $0, as: UTF8.self) } ?? ""
        return text.split(separator: "\n").map(String.init)
    }

    var isIdle: Bool { product.processes.isEmpty }

    func open() async throws {
        var call = product.call("ReferenceApp", [system.rawValue, kind.execution, listener.url(""), directory])
        call.leadsGroup = true
        let process = try ChildProcess(call)
        app.withLock { $0 = process }
    }

    private var process: ChildProcess {
        get throws { try #require(app.withLock { $0 }) }
    }

    func quit() async throws {
        try process.signal(SIGTERM)
        try await process.waitForEnd()
    }

    func kill() async throws {
        // The service may have started another process of the app.
        try await product.killProgram("ReferenceApp")
    }

    func leave() async throws {
        // Two simultaneous signals may be seen in either order, and the second may cancel the first: it is sent again.
        repeat { try process.signal(SIGTSTP) } while try await process.waitForStop(limit: .seconds(10)) == nil
    }

    func comeBack() async throws { try process.signal(SIGCONT) }

    func startForTask() async throws {
        // Without the service, the user has to open the app.
        if kind == .inProcess { try await open() }
    }

    func wait(_ what: Comment, until isTrue: () async throws -> Bool) async throws {
        let deadline = ContinuousClock.now + .patience
        while try await !isTrue() {
            guard ContinuousClock.now < deadline else {
                throw TimedOut(what: what.rawValue, seen: "\(shown)\n\(listener.summary)")
            }
            try await Task.sleep(for: .milliseconds(5))
        }
    }

    func end() async throws {
        server.release()
        try await product.killEverything()
    }
}

extension EnvironmentKind {
    /// The execution of a Linux app.
    fileprivate var execution: String { self == .service ? "service" : "inProcess" }
}
