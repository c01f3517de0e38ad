import LonghaulCore
import LonghaulStore
import Synchronization
import TestSupport
import Testing

@testable import LonghaulRuntime
import LonghaulSystem

/// A session on its own thread, over engines that the test answers manually; each loop has its own engine.
final class LiveSession: Sendable {
    let runtime: SessionRuntime
    let engines: Kept<ScriptedEngine>

    init(_ layout: SessionLayout) throws {
        let engines = Kept<ScriptedEngine>()
        self.engines = engines
        let environment = RuntimeEnvironment(
            now: SystemClock.wallTime, random: { .random(in: 0 ... .max) }, bootID: "boot"
        ) { _, sink in
            let engine = ScriptedEngine { ticket, event in sink([(ticket, event)]) }
            engines.keep(engine)
            return engine.whole
        }
        runtime = try SessionRuntime.open(layout: layout, environment: environment)
    }

    func send(_ command: SessionCommand) async -> SessionReply {
        await withCheckedContinuation { continuation in
            runtime.send(command) { continuation.resume(returning: $0) }
        }
    }

    func submit(_ count: Int) async throws -> [TransferID] {
        let specs = (0..<count).map { LoopWorld.request("http://a.test/\($0)") }
        guard case .submitted(let answers) = await send(.submit(specs)) else {
            throw TransferFailure(.internalFault, "no")
        }
        return answers.compactMap { if case .accepted(let id) = $0 { id } else { nil } }
    }

    /// Drops values that are kept only for speed, so that they are read from the disk again.
    func forgetNewcomers() async {
        await withCheckedContinuation { continuation in runtime.releaseMemory { continuation.resume() } }
    }

    /// Returns all transfers, page by page.
    func list() async throws -> [TransferSnapshot] {
        var all: [TransferSnapshot] = []
        var query = ListQuery(limit: 1_000)
        while true {
            guard case .page(let page) = await send(.list(query)) else {
                throw TransferFailure(.internalFault, "no list")
            }
            all += page.transfers
            guard page.hasMore, let last = page.transfers.last else { return all }
            query.afterSequence = last.sequence
        }
    }
}
