import Glibc
import LonghaulCore

/// A library that a test compiles, and that replaces calls of the C library in unmodified programs.
package struct PreloadedLibrary: Sendable {
    package let path: String

    /// Compiles C source into the directory.
    package init(_ source: String, named name: String, in home: TemporaryDirectory) async throws {
        try await self.init(["-xc", "-"], input: Array(source.utf8), home.path("\(name).so"))
    }

    /// Compiles a C file into the directory.
    package init(file: String, named name: String, in home: TemporaryDirectory) async throws {
        try await self.init([file], home.path("\(name).so"))
    }

    private init(_ source: [String], input: [UInt8] = [], _ path: String) async throws {
        self.path = path
        let flags = ["clang", "-O1", "-shared", "-fPIC", "-Wall", "-Werror", "-o", path]
        var call = ProgramCall("/usr/bin/env", flags + source, environment: ["PATH": Self.path])
        call.input = input
        let result = try await call.run()
        guard result.ending == .exited(0) else { throw TransferFailure(.internalFault, result.errorOutput) }
    }

    /// The environment variables that load the library into a program.
    package var variables: [String: String] { ["LD_PRELOAD": path] }

    /// Why it cannot be built; `nil` if it can.
    package static var missing: String? {
        let isThere = path.split(separator: ":").contains { access($0 + "/clang", X_OK) == 0 }
        return isThere ? nil : "clang is not in PATH"
    }

    private static var path: String { getenv("PATH").map { String(cString: $0) } ?? "/usr/bin" }
}
