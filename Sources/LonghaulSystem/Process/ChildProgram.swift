import CPlatform
import LonghaulCore

#if os(Linux)
    import Glibc
#endif

/// A program to start. It inherits only the descriptors passed to it, and no blocked or ignored signals.
package struct ChildProgram {
    #if os(Linux)
        private let path: String
        private let arguments: [String]
        private let environment: [String]

        /// `arguments` starts with the program's name; `environment` has the form `NAME=value`.
        package init(_ path: String, _ arguments: [String], environment: [String]) {
            self.path = path
            self.arguments = arguments
            self.environment = environment
        }

        /// Starts the program so that it outlives this process: in a new session, with `/` as its working directory, `log`
        /// as standard error, and `ready` as descriptor 3. A program that cannot be run closes `ready` without a byte.
        package func startDetached(log: Descriptor, ready: Descriptor) throws(SystemError) {
            try call { longhaul_start_detached(path, $0, $1, log.number, ready.number) }
        }

        /// Starts the program independently of this process. Returns once it runs.
        package func launch(in directory: String) throws(SystemError) {
            try call { longhaul_launch(path, $0, $1, directory) }
        }

        /// Runs the program and waits for its end. Returns its exit status. Kills it on a timeout.
        package func run(withinMilliseconds milliseconds: Int32) throws(SystemError) -> Int32 {
            try call { longhaul_run(path, $0, $1, milliseconds) }
        }

        /// Replaces this process by the program (execv(3)), with a listening socket from systemd. The program gets the
        /// limit of descriptors that this process started with. Returns only on failure.
        package static func become(_ path: String, _ words: [String], listener: Descriptor?) -> SystemError {
            if let listener {
                _ = fcntl(listener.number, F_SETFD, 0)
                setenv("LISTEN_PID", String(getpid()), 1)
                setenv("LISTEN_FDS", "1", 1)
            }
            longhaul_restore_descriptor_limit()
            do throws(SystemError) {
                try withStrings(words) { _ = execv(path, $0) }
                return SystemError(errno)
            } catch {
                return error
            }
        }

        /// Ends the programs that `call` runs, because this process is about to exit. Each gets this time to finish, the same
        /// time after SIGTERM, and is then killed.
        package static func endCalls(withinMilliseconds milliseconds: Int32) {
            longhaul_end_helpers(milliseconds)
        }

        private typealias Strings = UnsafePointer<UnsafeMutablePointer<CChar>?>

        @discardableResult
        private func call(_ body: (Strings, Strings) -> Int32) throws(SystemError) -> Int32 {
            let status = try Self.withStrings(arguments) { arguments throws(SystemError) in
                try Self.withStrings(environment) { environment throws(SystemError) in body(arguments, environment) }
            }
            return try value(status)
        }

        /// Calls `body` with the strings as a C array. Fails for a string that the program would get only in part.
        private static func withStrings<Value>(
            _ strings: [String], _ body: (Strings) throws(SystemError) -> Value
        ) throws(SystemError) -> Value {
            guard strings.allSatisfy(OutgoingText.isCString) else { throw .invalid }
            let copies = strings.map { strdup($0) } + [nil]
            defer { copies.forEach { free($0) } }
            return try copies.withUnsafeBufferPointer { buffer throws(SystemError) in
                guard let start = buffer.baseAddress else { preconditionFailure("a list with an end has an address") }
                return try body(start)
            }
        }
    #endif

    /// Calls a program from `PATH` with short input and output. Returns its output and exit status. Kills it on a
    /// timeout (`timedOut`), or if it writes more than `limit` bytes (`tooMuch`). No copy of its output remains in
    /// memory. Fails with `unsupported` on Darwin: an iOS app cannot start programs.
    package static func call(
        _ words: [String], _ input: [UInt8], limit: Int, withinMilliseconds milliseconds: Int32
    ) throws(SystemError) -> (output: [UInt8], status: Int32) {
        #if os(Linux)
            var output = [UInt8](repeating: 0, count: limit)
            var status: Int32 = 0
            let count = try withStrings(words) {
                longhaul_call_helper($0, input, input.count, &output, output.count, milliseconds, &status)
            }
            defer {
                output.withUnsafeMutableBytes { if let start = $0.baseAddress { explicit_bzero(start, $0.count) } }
            }
            guard count >= 0 else { throw SystemError(Int32(-count)) }
            return (Array(output[..<count]), status)
        #else
            throw .unsupported
        #endif
    }
}
