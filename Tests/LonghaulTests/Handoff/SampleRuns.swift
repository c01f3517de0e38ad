import Glibc
import LonghaulCore
import TestSupport

@testable import Longhaul

/// `HandoffSample` as a process of its own, in a world's home.
struct SampleRun {
    let process: ChildProcess

    /// Starts it; what it prints can be waited for.
    init(_ world: HandoffWorld, _ kind: String, _ path: String = "/files/", _ options: [String] = []) throws {
        process = try ChildProcess(
            world.product.call("HandoffSample", [kind, world.server.url(path), world.file] + options))
    }

    func wait(for text: String) async throws {
        try await process.waitForOutput(containing: text)
    }

    func kill() async throws {
        process.signal(SIGKILL)
        try await process.waitForEnd()
    }

    /// The lines that begin with a word.
    func lines(_ word: String) -> [Substring] {
        process.output.split(separator: "\n").filter { $0.hasPrefix(word) }
    }
}

extension HandoffWorld {
    func wait(for bytes: Int64) async throws {
        _ = try await server.wait(for: "\(bytes) bytes") { log in
            log.reduce(0) { $0 + $1.bodyLength } >= bytes ? true : nil
        }
    }

    /// Until an upload is whole.
    func waitForUpload() async throws {
        _ = try await server.wait(for: "the whole file") { [tus] _ in
            tus.uploads.contains { $0.offset == Self.length } ? true : nil
        }
    }

    /// The session of the sample as a visitor sees it: through the service.
    func visit<Value: Sendable>(_ body: (TransferSession) async throws -> Value) async throws -> Value {
        var configuration = configuration()
        configuration.execution = .service
        let session = try await TransferSession.open("org.example.handoff", configuration: configuration)
        let result: Result<Value, any Error>
        do {
            result = .success(try await body(session))
        } catch {
            result = .failure(error)
        }
        await session.close()
        return try result.get()
    }
}
