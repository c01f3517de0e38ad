import Glibc
package import LonghaulCore

/// A wall clock that a test sets, for unmodified programs: `set-clock.c`, preloaded.
///
/// It advances at the usual pace. The kernel does not know it and signals no change (`TFD_TIMER_CANCEL_ON_SET`), so a
/// sleeping program sees the new time when another event wakes it.
package struct SetClock: Sendable {
    private let file: String
    private let library: PreloadedLibrary

    package init(in home: TemporaryDirectory, at date: WallTime) async throws {
        file = home.path("clock")
        let directory = "/" + #filePath.split(separator: "/").dropLast().joined(separator: "/")
        library = try await PreloadedLibrary(file: directory + "/set-clock.c", named: "set-clock", in: home)
        try home.write([UInt8](repeating: 0, count: 8), to: "clock")
        try set(to: date)
    }

    /// The environment variables that make a program use this clock.
    package var variables: [String: String] { library.variables.merging(["SET_CLOCK": file]) { $1 } }

    /// Programs map the file, and see all eight bytes change at once.
    package func set(to date: WallTime) throws {
        var now = timespec()
        clock_gettime(CLOCK_REALTIME, &now)
        var shift = date.microseconds - Int64(now.tv_sec) * 1_000_000 - Int64(now.tv_nsec) / 1_000
        let descriptor = open(file, O_WRONLY | O_CLOEXEC)
        defer { close(descriptor) }
        guard pwrite(descriptor, &shift, 8, 0) == 8 else {
            throw TransferFailure(.fileFailed, "the clock cannot be set", origin: .system(Int(errno)))
        }
    }

    package static var missing: String? { PreloadedLibrary.missing }
}
