import Glibc
import LonghaulCore
import TestSupport

@testable import Longhaul

/// `HandoffSample` as a process of its own, in a world's home.
struct SampleRun {
    let process: ChildProcess

    /// Starts it; what it prints can be waited for.
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

    /// Stops it as a shell does, until it has left its session to the service. It stands still after half a second at the
    /// latest, which is too soon on a busy machine: then it goes on, and is stopped once more.
    func stopWhenHandedOver() async throws {
        while true {
            let reports = lines("handoff").count
            // Two signals that come together may be seen in either order, and the second taken back: it is sent again.
            repeat { process.signal(SIGTSTP) } while try await process.waitForStop(limit: .seconds(10)) == nil
            if lines("handoff").last?.hasPrefix("handoff handedOver") == true { return }
            process.signal(SIGCONT)
            try await process.waitForOutput(for: "what became of the session") { output in
                Self.lines("handoff", of: output).count > reports ? () : nil
            }
        }
    }

    /// The lines that begin with a word.
    func lines(_ word: String) -> [Substring] {
        Self.lines(word, of: process.output)
    }

    private static func lines(_ word: String, of output: String) -> [Substring] {
        output.split(separator: "\n").filter { $0.hasPrefix(word) }
    }
}

extension ChildProcess {
    /// Waits until the process stands still, as a shell does; by which signal, or `nil` when it does not.
    func waitForStop(limit: Duration = .patience) async throws -> Int32? {
        let deadline = ContinuousClock.now + limit
        while ContinuousClock.now < deadline {
            var info = siginfo_t()
            if waitid(P_PID, id_t(processID), &info, WSTOPPED | WNOWAIT | WNOHANG) == 0, info.si_signo == SIGCHLD {
                return info._sifields._sigchld.si_status
            }
            try await Task.sleep(for: .milliseconds(5))
        }
        return nil
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
