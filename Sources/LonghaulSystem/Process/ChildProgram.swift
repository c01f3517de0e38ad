import CLinux
import LonghaulCore

#if canImport(Darwin)
    import Darwin
#else
    import Glibc
#endif

/// A program that is to be started. It gets no descriptor that is not given to it, and no signal is blocked or ignored in it.
package struct ChildProgram {
    private let path: String
    private let arguments: [String]
    private let environment: [String]

    /// `arguments` begin with the program's name; `environment` is of the form `NAME=value`.
    package init(_ path: String, _ arguments: [String], environment: [String]) {
        self.path = path
        self.arguments = arguments
        self.environment = environment
    }

    /// Starts it so that it outlives this process: a session of its own, `/` to work in, `log` as its standard error,
    /// `ready` as descriptor 3. What cannot be run closes `ready` without a byte.
    package func startDetached(log: Descriptor, ready: Descriptor) throws(SystemError) {
        try call { longhaul_start_detached(path, $0, $1, log.number, ready.number) }
    }

    /// Starts it as a program that has nothing to do with this process any more. It runs when this returns.
    package func launch(in directory: String) throws(SystemError) {
        try call { longhaul_launch(path, $0, $1, directory) }
    }

    /// Runs it and waits for its end: its exit status. It is killed when it takes longer.
    package func run(withinMilliseconds milliseconds: Int32) throws(SystemError) -> Int32 {
        try call { longhaul_run(path, $0, $1, milliseconds) }
    }

    /// Calls a program, found in `PATH`, that reads a few lines and writes a few: what it wrote, and its exit status. It is killed when
    /// it takes longer (`timedOut`), or writes more than `limit` bytes (`tooMuch`). No copy of its answer stays in memory.
    package static func ask(
        _ words: [String], _ input: [UInt8], limit: Int, withinMilliseconds milliseconds: Int32
    ) throws(SystemError) -> (output: [UInt8], status: Int32) {
        var output = [UInt8](repeating: 0, count: limit)
        var status: Int32 = 0
        let count = withStrings(words) {
            longhaul_call_helper($0, input, input.count, &output, output.count, milliseconds, &status)
        }
        defer { output.withUnsafeMutableBytes { if let start = $0.baseAddress { explicit_bzero(start, $0.count) } } }
        guard count >= 0 else { throw SystemError(Int32(-count)) }
        return (Array(output[..<count]), status)
    }

    /// Becomes the program, with a listening socket that systemd has handed over. It gets the limit of descriptors that this
    /// process began with. Returns only when that fails.
    package static func become(_ path: String, _ words: [String], listener: Descriptor?) -> SystemError {
        if let listener {
            _ = fcntl(listener.number, F_SETFD, 0)
            setenv("LISTEN_PID", String(getpid()), 1)
            setenv("LISTEN_FDS", "1", 1)
        }
        longhaul_restore_descriptor_limit()
        withStrings(words) { _ = execv(path, $0) }
        return SystemError(errno)
    }

    private typealias Strings = UnsafePointer<UnsafeMutablePointer<CChar>?>

    @discardableResult
    private func call(_ body: (Strings, Strings) -> Int32) throws(SystemError) -> Int32 {
        try value(Self.withStrings(arguments) { arguments in Self.withStrings(environment) { body(arguments, $0) } })
    }

    /// Calls `body` with the strings as C wants them.
    private static func withStrings<Value>(_ strings: [String], _ body: (Strings) -> Value) -> Value {
        let copies = strings.map { strdup($0) } + [nil]
        defer { copies.forEach { free($0) } }
        return copies.withUnsafeBufferPointer { buffer in
            guard let start = buffer.baseAddress else { preconditionFailure("a list with an end has an address") }
            return body(start)
        }
    }
}
