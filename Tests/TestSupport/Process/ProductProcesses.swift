import CTestSupport
import Glibc
import LonghaulCore

/// Processes of a product that no test started directly, such as a service that a command started.
extension Product {
    /// The process ID of the service, if one is running.
    package var serviceID: Int32? { processes.first { Self.name(of: $0) == "longhauld" } }

    /// Kills the service, as a crash does, and returns after its end.
    package func killService() throws {
        guard let id = serviceID else { throw TransferFailure(.serviceUnavailable, "no service runs") }
        try end([id])
    }

    /// Kills all processes with this home at once, as a crash does, including a service that is starting.
    package func killEverything() throws {
        while case let left = processes, !left.isEmpty { try end(left) }
    }

    /// Kills all processes of a program with this home, no matter which process started them, and returns after their end.
    package func killProgram(_ program: String) async throws {
        try await aside { try self.end(self.processes.filter { Self.name(of: $0) == program }) }
    }

    package func killService() async throws { try await aside { try self.killService() } }

    package func killEverything() async throws { try await aside { try self.killEverything() } }

    /// Blocks until a process has ended.
    package func waitForEnd(of id: Int32) async throws {
        try await aside {
            let handle = test_hold_process(id)
            guard handle >= 0 else { return }
            defer { close(handle) }
            guard test_end_process(handle, 0, Self.patience) == 0 else {
                throw TimedOut(what: "process \(id) to end", seen: "it runs")
            }
        }
    }

    private static var patience: Int32 { Int32(Duration.patience.microseconds / 1_000) }

    private func end(_ ids: [Int32]) throws {
        let handles = ids.map { ($0, test_hold_process($0)) }.filter { $0.1 >= 0 }
        defer { for (_, handle) in handles { close(handle) } }
        // Listed again while the handles are held: from now on, the IDs cannot be reused.
        let ours = Set(processes)
        for (id, handle) in handles where ours.contains(id) { _ = test_end_process(handle, SIGKILL, 0) }
        for (id, handle) in handles where ours.contains(id) {
            guard test_end_process(handle, 0, Self.patience) == 0 else {
                throw TimedOut(what: "process \(id) to end", seen: "it runs")
            }
        }
    }

    private static func name(of id: Int32) -> String {
        guard let file = fopen("/proc/\(id)/comm", "re") else { return "" }
        defer { fclose(file) }
        var buffer = [UInt8](repeating: 0, count: 64)
        let count = fread(&buffer, 1, buffer.count, file)
        return String(decoding: buffer[..<max(0, count - 1)], as: UTF8.self)
    }
}
