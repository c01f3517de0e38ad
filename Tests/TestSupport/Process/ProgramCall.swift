import CTestSupport
import Glibc
import LonghaulCore

/// A program with its arguments and environment.
package struct ProgramCall: Sendable {
    package var path: String
    package var arguments: [String]
    /// The whole environment of the program.
    package var environment: [String: String]
    package var directory: String?
    /// Written to standard input, which then ends.
    package var input: [UInt8] = []
    /// Runs the program under a pseudo-terminal, which is its standard input, output, and error.
    package var terminal: (columns: Int, rows: Int)?
    /// Starts the program in a separate process group, as a shell does. SIGTSTP stops no process in an orphaned group,
    /// and the group of the tests may be orphaned.
    package var leadsGroup = false

    package init(_ path: String, _ arguments: [String] = [], environment: [String: String] = ["PATH": "/usr/bin:/bin"])
    {
        self.path = path
        self.arguments = arguments
        self.environment = environment
    }

    /// The result of a program that has ended.
    package struct Result: Sendable {
        package var ending: ChildProcess.Ending
        package var output: String
        package var errorOutput: String
    }

    /// Runs the program until it ends.
    package func run(limit: Duration = .patience) throws -> Result {
        let child = try ChildProcess(self)
        let ending = try child.waitForEnd(limit: limit)
        return Result(ending: ending, output: child.output, errorOutput: child.errorOutput)
    }

    package func run(limit: Duration = .patience) async throws -> Result {
        try await aside { try self.run(limit: limit) }
    }

    func spawn(_ streams: (input: Int32, output: Int32, error: Int32)) -> Int32 {
        var arguments = ([path] + arguments).map { strdup($0) } + [nil]
        var environment = environment.map { strdup("\($0.key)=\($0.value)") } + [nil]
        let directory = directory.map { strdup($0) } ?? nil
        let path = strdup(path)
        defer {
            for pointer in arguments + environment { free(pointer) }
            free(directory)
            free(path)
        }
        return arguments.withUnsafeMutableBufferPointer { arguments in
            environment.withUnsafeMutableBufferPointer { environment in
                var program = test_program(
                    path: path, arguments: arguments.baseAddress, environment: environment.baseAddress,
                    directory: directory, input: streams.input, output: streams.output, error: streams.error,
                    has_terminal: terminal == nil ? 0 : 1, leads_group: leadsGroup ? 1 : 0)
                return test_spawn(&program)
            }
        }
    }
}

/// The descriptors between a test and its program.
struct Streams {
    private(set) var child: (input: Int32, output: Int32, error: Int32)
    /// The test's output ends, and whether each is standard error.
    private(set) var readers: [(descriptor: Int32, isError: Bool)]
    private(set) var feed: Int32?
    private(set) var terminal: Int32?

    init(_ program: ProgramCall) throws {
        if let size = program.terminal {
            var controller: Int32 = -1
            var side: Int32 = -1
            let result = test_open_terminal(&controller, &side, Int32(size.columns), Int32(size.rows))
            guard result == 0 else {
                throw TransferFailure(.fileFailed, "no pseudo-terminal", origin: .system(Int(-result)))
            }
            child = (side, side, side)
            readers = [(controller, false)]
            terminal = fcntl(controller, F_DUPFD_CLOEXEC, 3)
            return
        }
        let output = Self.pipe()
        let error = Self.pipe()
        readers = [(output.0, false), (error.0, true)]
        if program.input.isEmpty {
            child = (open("/dev/null", O_RDONLY | O_CLOEXEC), output.1, error.1)
        } else {
            let input = Self.socketPair()
            feed = input.0
            child = (input.1, output.1, error.1)
        }
    }

    func closeChildEnds() {
        for descriptor in Set([child.input, child.output, child.error]) { close(descriptor) }
    }

    func closeParentEnds() {
        for descriptor in readers.map(\.descriptor) + [feed, terminal].compactMap({ $0 }) { close(descriptor) }
    }

    private static func pipe() -> (Int32, Int32) {
        var ends: [Int32] = [-1, -1]
        let result = Glibc.pipe(&ends)
        precondition(result == 0, "no pipe: \(String(cString: strerror(errno)))")
        for end in ends { _ = fcntl(end, F_SETFD, FD_CLOEXEC) }
        return (ends[0], ends[1])
    }

    /// For input: unlike with a pipe, a write after the reader has exited need not raise SIGPIPE.
    private static func socketPair() -> (Int32, Int32) {
        var ends: [Int32] = [-1, -1]
        let result = socketpair(AF_UNIX, Int32(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue), 0, &ends)
        precondition(result == 0, "no socket pair: \(String(cString: strerror(errno)))")
        return (ends[0], ends[1])
    }
}

/// The thread that starts every program: the kernel kills a child when the thread that started it ends, and threads of
/// a pool come and go.
final class Spawner: Sendable {
    static let shared = Spawner()

    private struct State: Sendable {
        var calls: [@Sendable () -> Int32] = []
        var results: [Int: Int32] = [:]
        var taken = 0
        var given = 0
    }

    private let state = Monitor(State())

    private init() {
        startThread { [state] in
            while true {
                guard
                    let (ticket, call) = try? state.wait(
                        for: "a program to start",
                        until: { state -> (Int, @Sendable () -> Int32)? in
                            guard !state.calls.isEmpty else { return nil }
                            state.taken += 1
                            return (state.taken - 1, state.calls.removeFirst())
                        })
                else { continue }
                let result = call()
                state.update { $0.results[ticket] = result }
            }
        }
    }

    func perform(_ call: @escaping @Sendable () -> Int32) -> Int32 {
        let ticket = state.update { state in
            state.calls.append(call)
            state.given += 1
            return state.given - 1
        }
        while true {
            if let result = try? state.wait(for: "the program", until: { $0.results.removeValue(forKey: ticket) }) {
                return result
            }
        }
    }
}
