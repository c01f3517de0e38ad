import Foundation
import Glibc

/// Runs a program until it ends, and returns its resources as counted by the kernel.
struct ChildRun {
    var arguments: [String]
    var environment: [String: String] = ProcessInfo.processInfo.environment
    /// The file for its output; none if nil.
    var output: String?

    /// Fails if the program does not exit with 0.
    func measure() throws -> Sample {
        var ends: [Int32] = [0, 0]
        guard pipe(&ends) == 0 else { throw BenchFailure("no descriptor is free") }
        defer { close(ends[0]) }
        let begin = Clock.now
        let child: pid_t
        do {
            defer { close(ends[1]) }
            child = try start()
        }
        // The kernel's own count of a child's memory starts with that of the parent, so it is read while the child runs.
        let meter = ProcessMeter(pid: child)
        var memory = 0.0
        var ending = pollfd(fd: ends[0], events: Int16(POLLIN), revents: 0)
        repeat { memory = max(memory, meter.peak) } while poll(&ending, 1, 20) == 0
        var status: Int32 = 0
        var usage = rusage()
        while wait4(child, &status, 0, &usage) < 0 {
            guard errno == EINTR else { throw BenchFailure("waiting for \(arguments[0]) failed") }
        }
        let wall = Clock.now - begin
        guard status == 0 else {
            throw BenchFailure("\(arguments.prefix(4).joined(separator: " ")) … ended with status \(status)")
        }
        return Sample(
            wall: wall, cpu: usage.ru_utime.seconds + usage.ru_stime.seconds, memory: memory)
    }

    /// Starts the program and leaves it running. It ends with this process at the latest if it requests that itself.
    func start() throws -> pid_t {
        var actions = posix_spawn_file_actions_t()
        posix_spawn_file_actions_init(&actions)
        defer { posix_spawn_file_actions_destroy(&actions) }
        posix_spawn_file_actions_addopen(&actions, 0, "/dev/null", O_RDONLY, 0)
        posix_spawn_file_actions_addopen(&actions, 1, output ?? "/dev/null", O_WRONLY | O_CREAT | O_TRUNC, 0o600)
        let words = arguments.map { strdup($0) } + [nil]
        let settings = environment.map { strdup("\($0.key)=\($0.value)") } + [nil]
        defer { (words + settings).forEach { free($0) } }
        var child: pid_t = 0
        let failure = posix_spawnp(&child, arguments[0], &actions, nil, words, settings)
        guard failure == 0 else {
            throw BenchFailure("\(arguments[0]) cannot be started: \(String(cString: strerror(failure)))")
        }
        return child
    }
}

extension timeval {
    var seconds: Double { Double(tv_sec) + Double(tv_usec) / 1e6 }
}

/// Seconds since an unknown time, never set back.
enum Clock {
    static var now: Double {
        var time = timespec()
        clock_gettime(CLOCK_MONOTONIC, &time)
        return Double(time.tv_sec) + Double(time.tv_nsec) / 1e9
    }
}

/// Polls until `isDone` returns true, for half a minute at most.
func wait(_ what: String, until isDone: () -> Bool) throws {
    let begin = Clock.now
    while !isDone() {
        guard Clock.now - begin < 30 else { throw BenchFailure("timed out waiting for \(what)") }
        usleep(5_000)
    }
}

struct BenchFailure: Error, CustomStringConvertible {
    var description: String
    init(_ description: String) { self.description = description }
}
