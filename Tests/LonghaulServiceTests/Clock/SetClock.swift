import Glibc
import LonghaulCore
import TestSupport

/// A wall clock that a test sets, for whole programs as they are built: `set-clock.c`, preloaded.
///
/// It goes at its usual pace. The kernel knows nothing of it, so it tells nobody that the clock was set: whoever sleeps
/// hears of it with the next thing that wakes him.
struct SetClock: Sendable {
    private let file: String
    private let library: String

    init(in home: TemporaryDirectory, at date: WallTime) async throws {
        file = home.path("clock")
        library = home.path("set-clock.so")
        let source = "/" + #filePath.split(separator: "/").dropLast().joined(separator: "/") + "/set-clock.c"
        let result = try await ProgramCall(
            "/usr/bin/env", ["clang", "-O1", "-shared", "-fPIC", "-Wall", "-Werror", "-o", library, source],
            environment: ["PATH": Self.path]
        ).run()
        guard result.ending == .exited(0) else { throw TransferFailure(.internalFault, result.errorOutput) }
        try home.write([UInt8](repeating: 0, count: 8), to: "clock")
        try set(to: date)
    }

    /// What a program has in its environment to go by this clock.
    var variables: [String: String] { ["LD_PRELOAD": library, "SET_CLOCK": file] }

    /// Programs have the file mapped, and see the whole of the eight bytes change at once.
    func set(to date: WallTime) throws {
        var now = timespec()
        clock_gettime(CLOCK_REALTIME, &now)
        var shift = date.microseconds - Int64(now.tv_sec) * 1_000_000 - Int64(now.tv_nsec) / 1_000
        let descriptor = open(file, O_WRONLY | O_CLOEXEC)
        defer { close(descriptor) }
        guard pwrite(descriptor, &shift, 8, 0) == 8 else {
            throw TransferFailure(.fileFailed, "the clock cannot be set", origin: .system(Int(errno)))
        }
    }

    static var missing: String? {
        let isThere = path.split(separator: ":").contains { access($0 + "/clang", X_OK) == 0 }
        return isThere ? nil : "clang is not in PATH"
    }

    private static var path: String { getenv("PATH").map { String(cString: $0) } ?? "/usr/bin" }
}
