import LonghaulCore
import TestSupport
import Testing

@testable import Longhaul

/// An app in this process that runs its session itself, and whose lifecycle a test controls.
final class HandoffWorld: Sendable {
    static let length: Int64 = 12 << 20

    let product: Product
    let content = Content(seed: 11, length: length)
    let tus = TusService(path: "/files/", keepingBytes: 0)
    let latch = Latch()
    let server: NastyServer
    let reports = Mailbox<HandoffReport>()
    let steps = Mailbox<HandoffStep>()
    private let lifecycle = ProcessLifecycle()

    init() throws {
        product = try Product()
        server = try NastyServer(
            routes: [
                "/files/*": tus.route, "/held": Route(.status(200).held(by: latch)), "/other": Route(.status(200)),
                "/slow": Route(.status(200).intake(.stall(after: 8 << 20, latch))),
            ], keepingBodies: 0)
        try product.home.write(content, to: "work/film.bin")
    }

    var file: String { product.home.path("work/film.bin") }

    /// The number of bytes of the file's body that arrived, including repeated ones.
    var received: Int64 { server.requests.reduce(0) { $0 + $1.bodyLength } }

    /// Returns the same number after the server has read the bytes in its sockets.
    func receivedInAll() async throws -> Int64 {
        try await server.wait(for: "the end of all requests") { log in
            log.allSatisfy(\.isFinished) ? log.reduce(0) { $0 + $1.bodyLength } : nil
        }
    }

    func configuration(takesOver: Bool = true) -> TransferSession.Configuration {
        var configuration = TransferSession.Configuration(execution: .handoff(takesOver: takesOver))
        configuration.environment = product.environment
        if Transport.current.isSecure { configuration.network.caFile = product.caFile }
        configuration.handoffProbe = { [steps] in steps.append($0) }
        return configuration
    }

    /// One launch of the app, which starts in the foreground.
    func launch(
        _ configuration: TransferSession.Configuration? = nil, _ body: (TransferSession) async throws -> Void
    ) async throws {
        let session = try await TransferSession.open(
            SessionWorld.session, configuration: configuration ?? self.configuration())
        try await withThrowingTaskGroup(of: Void.self) { [lifecycle, reports] group in
            group.addTask { await session.follow(lifecycle, reporting: { reports.append($0) }) }
            while !lifecycle.isObserved { await Task.yield() }
            lifecycle.enter(.active)
            do {
                try await body(session)
            } catch {
                group.cancelAll()
                await session.close()
                throw error
            }
            group.cancelAll()
        }
        await session.close()
    }

    func enter(_ state: LifecycleState, within time: Duration? = nil) {
        lifecycle.enter(state, within: time)
    }

    /// Enters the background, and returns when the app waits there for the end of a transfer.
    func enterBackgroundAndStay(within time: Duration = .seconds(60)) async throws {
        // Long enough, however slow the machine is.
        enter(.background, within: time)
        _ = try await steps.next { $0 == .staying }
    }

    /// Stalls the next upload body at this byte until the latch opens, so that it cannot end before a test has acted.
    func stallUpload(after bytes: Int64) {
        tus.script("PATCH", .stall(after: bytes, latch))
    }

    /// Enters a state, and returns when all its effects are done.
    func enterAndWait(_ state: LifecycleState, within time: Duration? = nil) async {
        await withCheckedContinuation { continuation in
            lifecycle.enter(state, within: time) { continuation.resume() }
        }
    }

    func upload(_ session: TransferSession, rate: Int64? = nil) async throws -> Transfer {
        var options = TransferOptions()
        options.rateLimit = rate
        return try await session.uploadResumably(file: file, to: server.url("/files/"), options: options)
    }
}

extension TransferSession {
    /// Returns the present owner.
    func owner() async throws -> SessionOwner.Kind? { try await backend.info().owner?.kind }
}
