import Glibc
import LonghaulCore
import TestSupport

@testable import Longhaul

/// `HandoffSample` as a separate process, in a world's home.
struct SampleRun {
    let process: ChildProcess

    /// Starts it; a test can wait for its output.
    init(_ world: HandoffWorld, _ kind: String, _ path: String = "/files/", _ options: [String] = []) throws {
        var call = world.product.call("HandoffSample", [kind, world.server.url(path), world.file] + options)
        call.leadsGroup = true
        process = try ChildProcess(call)
    }

    func wait(for text: String) async throws {
        try await process.waitForOutput(containing: text)
    }

    func kill() async throws {
        process.signal(SIGKILL)
        try await process.waitForEnd()
    }

    /// Stops it as a shell does, until it has handed its session to the service. It is suspended after half a second at
    /// the latest, which is too soon on a busy machine: then it is continued, and stopped again.
    func stopWhenHandedOver() async throws {
        while true {
            let reports = lines("handoff").count
            // Two simultaneous signals may be seen in either order, and the second may cancel the first: it is sent again.
            repeat { process.signal(SIGTSTP) } while try await process.waitForStop(limit: .seconds(10)) == nil
            if lines("handoff").last?.hasPrefix("handoff handedOver") == true { return }
            process.signal(SIGCONT)
            try await process.waitForOutput(for: "the report of the handoff") { output in
                Self.lines("handoff", of: output).count > reports ? () : nil
            }
        }
    }

    /// Returns the lines that start with a word.
    func lines(_ word: String) -> [Substring] {
        Self.lines(word, of: process.output)
    }

    private static func lines(_ word: String, of output: String) -> [Substring] {
        output.split(separator: "\n").filter { $0.hasPrefix(word) }
    }
}

extension HandoffWorld {
    func wait(for bytes: Int64) async throws {
        _ = try await server.wait(for: "\(bytes) bytes") { log in
            log.reduce(0) { $0 + $1.bodyLength } >= bytes ? true : nil
        }
    }

    /// Waits until an upload is complete.
    func waitForUpload() async throws {
        _ = try await server.wait(for: "the whole file") { [tus] _ in
            tus.uploads.contains { $0.offset == Self.length } ? true : nil
        }
    }

    /// Opens the session of the sample through the service.
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
