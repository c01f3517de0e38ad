import CTestSupport
import Glibc
import LonghaulCore

/// A program that a test started. It is killed when the test releases it, and when the test process dies.
package final class ChildProcess: Sendable {
    /// How a program ended.
    package enum Ending: Equatable, Sendable {
        case exited(Int32)
        case killed(signal: Int32)
    }

    struct State: Sendable, CustomStringConvertible {
        var ending: Ending?
        var output: [UInt8] = []
        var errorOutput: [UInt8] = []
        var openStreams = 0

        var description: String {
            let end = String(decoding: output.suffix(2_000), as: UTF8.self)
            let errors = String(decoding: errorOutput.suffix(1_000), as: UTF8.self)
            return "\(ending.map { "\($0)" } ?? "running"), output: \(end), errors: \(errors)"
        }
    }

    package let processID: Int32
    let state: Monitor<State>
    /// The test's end of the pseudo-terminal.
    private let terminal: Int32?

    /// Starts `program`. Its standard input is empty unless bytes are given.
    package init(_ program: ProgramCall) throws {
        let opened = try Streams(program)
        let state = Monitor(State(openStreams: opened.readers.count))
        let child = opened.child
        let id = Spawner.shared.perform { program.spawn(child) }
        opened.closeChildEnds()
        guard id > 0 else {
            opened.closeParentEnds()
            throw TransferFailure(.fileFailed, "cannot start \(program.path)", origin: .system(Int(-id)))
        }
        processID = id
        self.state = state
        terminal = opened.terminal
        for (descriptor, isError) in opened.readers { Self.collect(descriptor, isError, state) }
        if let feed = opened.feed { Self.write(program.input, to: feed) }
        Self.reap(id, state)
    }

    deinit {
        signal(SIGKILL)
        if let terminal { close(terminal) }
    }

    /// All standard output (or terminal output) so far.
    package var output: String { String(decoding: state.value.output, as: UTF8.self) }

    package var errorOutput: String { String(decoding: state.value.errorOutput, as: UTF8.self) }

    package var isRunning: Bool { state.value.ending == nil }

    /// Sends a signal unless the program has ended.
    package func signal(_ number: Int32) {
        // The process is only reaped with the lock held, so its ID cannot belong to another process by now.
        state.update { if $0.ending == nil { kill(processID, number) } }
    }

    /// Types into the terminal.
    package func type(_ text: String) {
        guard let terminal else { preconditionFailure("the program has no terminal") }
        _ = Array(text.utf8).withUnsafeBytes { Glibc.write(terminal, $0.baseAddress, $0.count) }
    }

    /// Blocks until the program has ended and its output is complete.
    @discardableResult
    package func waitForEnd(limit: Duration = .patience) throws -> Ending {
        try state.wait(for: "process \(processID) to end and close its output", limit: limit) { state in
            state.openStreams == 0 ? state.ending : nil
        }
    }

    @discardableResult
    package func waitForEnd(limit: Duration = .patience) async throws -> Ending {
        try await aside { try self.waitForEnd(limit: limit) }
    }

    /// Waits until the process is stopped, as a shell does. Returns the signal; `nil` if it does not stop.
    package func waitForStop(limit: Duration = .patience) async throws -> Int32? {
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

    /// Blocks until standard output (or the terminal) contains a text.
    package func waitForOutput(containing text: String) throws {
        try state.wait(for: "process \(processID) to print \(text)") { state in
            String(decoding: state.output, as: UTF8.self).contains(text) ? () : nil
        }
    }

    package func waitForOutput(containing text: String) async throws {
        try await aside { try self.waitForOutput(containing: text) }
    }

    /// Waits until standard error contains a text.
    package func waitForErrorOutput(containing text: String) async throws {
        try await aside {
            try self.state.wait(for: "process \(self.processID) to report \(text)") { state in
                String(decoding: state.errorOutput, as: UTF8.self).contains(text) ? () : nil
            }
        }
    }

    /// Blocks until `body` returns a value for the standard output (or terminal output).
    package func waitForOutput<Result>(for what: String, until body: (String) -> Result?) throws -> Result {
        try state.wait(for: "process \(processID) to print \(what)") { state in
            body(String(decoding: state.output, as: UTF8.self))
        }
    }

    package func waitForOutput<Result: Sendable>(
        for what: String, until body: @escaping @Sendable (String) -> Result?
    ) async throws -> Result {
        try await aside { try self.waitForOutput(for: what, until: body) }
    }

    /// Blocks until standard output has the given number of bytes, or the program has ended.
    package func waitForOutput(bytes: Int) async throws {
        try await aside {
            try self.state.wait(for: "process \(self.processID) to print \(bytes) bytes") { state in
                state.output.count >= bytes || state.ending != nil ? () : nil
            }
        }
    }

    private static func collect(_ descriptor: Int32, _ isError: Bool, _ state: Monitor<State>) {
        startThread {
            var buffer = [UInt8](repeating: 0, count: 1 << 14)
            while true {
                let count = read(descriptor, &buffer, buffer.count)
                if count < 0, errno == EINTR { continue }
                // A terminal whose other end is closed returns EIO.
                guard count > 0 else { break }
                state.update { state in
                    if isError { state.errorOutput += buffer[..<count] } else { state.output += buffer[..<count] }
                }
            }
            close(descriptor)
            state.update { $0.openStreams -= 1 }
        }
    }

    private static func write(_ input: [UInt8], to feed: Int32) {
        startThread {
            var rest = input[...]
            while !rest.isEmpty {
                let count = rest.withUnsafeBytes { send(feed, $0.baseAddress, $0.count, Int32(MSG_NOSIGNAL)) }
                if count < 0, errno == EINTR { continue }
                guard count > 0 else { break }
                rest = rest.dropFirst(count)
            }
            close(feed)
        }
    }

    private static func reap(_ id: Int32, _ state: Monitor<State>) {
        startThread {
            var info = siginfo_t()
            while waitid(P_PID, id_t(id), &info, WEXITED | WNOWAIT) != 0, errno == EINTR {}
            state.update { state in
                var status: Int32 = 0
                waitpid(id, &status, 0)
                state.ending = status & 0x7F == 0 ? .exited(status >> 8 & 0xFF) : .killed(signal: status & 0x7F)
            }
        }
    }
}
