import Foundation
import Longhaul
import LonghaulCore
import ReferenceSystems
import TestSupport
import Testing

/// Processes of a Linux app, with the service or without it.
///
/// `@unchecked Sendable`: one task uses it at a time.
final class LinuxEnvironment: Environment, @unchecked Sendable {
    let server = ServerScript()
    private let kind: EnvironmentKind
    private let system: System
    private let product: Product
    private let listener: NastyServer
    private var app: ChildProcess?
    private var hasTaskLimit = false
    private(set) var leftInTime = true
    private var disk: SmallVolume?

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
        app = try ChildProcess(call)
    }

    private var process: ChildProcess {
        get throws { try #require(app) }
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
        let start = ContinuousClock.now
        defer { if ContinuousClock.now - start > .milliseconds(450) { leftInTime = false } }
        // Two simultaneous signals may be seen in either order, and the second may cancel the first: it is sent again.
        repeat { try process.signal(SIGTSTP) } while try await process.waitForStop(limit: .seconds(10)) == nil
    }

    func comeBack() async throws { try process.signal(SIGCONT) }

    /// Linux has no such way: the process is killed.
    func forceQuit() async throws { try await kill() }

    /// A package replaces programs only.
    func updateApp() async throws { try await kill() }

    /// Linux has no system that keeps a part of a transfer.
    func refuseResumeData() {}

    /// A shell stops the process half a second after its signal at most.
    func leaveUntilTimeIsOver() async throws { try await leave() }

    /// A screen lock closes no files.
    func lockDevice() async throws {}

    func setOnline(_ isOnline: Bool) {
        server.setReachable(isOnline)
        if !isOnline { listener.dropConnections() }
    }

    func fillStorage() throws {
        disk = try SmallVolume(.tmpfs, in: product.home, "work/films", bytes: 4 << 20)
        try disk?.fillUp()
    }

    func freeStorage() throws { try disk?.makeRoom() }

    func startForTask() async throws {
        // Without the service, the user has to open the app.
        guard kind == .inProcess else { return }
        if hasTaskLimit { try await setTaskLimit() }
        try await open()
    }

    func limitTaskTime() async throws {
        hasTaskLimit = true
        // Without the service, the app holds the session while it is open.
        if kind == .service { try await setTaskLimit() }
    }

    private func setTaskLimit() async throws {
        var configuration = TransferSession.Configuration(execution: kind == .service ? .service : .inProcess())
        configuration.environment = product.environment
        let session = try await TransferSession.open(system.type.session, configuration: configuration)
        var settings = BackgroundTaskSettings()
        // Long enough for the request of a handler on a busy machine.
        settings.refreshBudget = .seconds(3)
        try await session.tasks.setSettings(settings)
        await session.close()
    }

    /// The session ends it.
    func endTaskTime() async throws {}

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
