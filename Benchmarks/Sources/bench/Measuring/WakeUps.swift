import Foundation

/// Counts how often the threads of a running process are scheduled.
///
/// The kernel keeps a count for each thread, and drops it when the thread ends. Therefore the counts are added up from reading to
/// reading. Scheduling between the last reading and the end of a thread counts as one, so readings must be frequent.
struct WakeUps {
    private(set) var count = 0
    private let pid: pid_t
    /// The kernel's counts at the last reading, by thread.
    private var last: [String: Int]

    /// Counts from now on.
    init(of pid: pid_t) throws {
        self.pid = pid
        last = try Self.read(pid)
    }

    /// Counts from these counts on.
    init(from last: [String: Int]) {
        pid = 0
        self.last = last
    }

    mutating func update() throws { add(try Self.read(pid)) }

    mutating func add(_ now: [String: Int]) {
        for (thread, switches) in now {
            // A lower count is that of a new thread with the number of an ended one.
            let before = last[thread].flatMap { $0 <= switches ? $0 : nil }
            count += switches - (before ?? 0)
        }
        // A thread runs once more to end.
        count += last.keys.count { now[$0] == nil }
        last = now
    }

    private static func read(_ pid: pid_t) throws -> [String: Int] {
        let directory = "/proc/\(pid)/task"
        let threads = (try? FileManager.default.contentsOfDirectory(atPath: directory)) ?? []
        var counts: [String: Int] = [:]
        for thread in threads {
            // A thread may just have ended.
            guard let text = try? String(contentsOfFile: "\(directory)/\(thread)/status", encoding: .utf8) else {
                continue
            }
            counts[thread] = text.split(separator: "\n").filter { $0.contains("ctxt_switches") }
                .reduce(0) { $0 + (Int($1.split(whereSeparator: \.isWhitespace).last ?? "") ?? 0) }
        }
        guard !counts.isEmpty else { throw BenchFailure("process \(pid) has ended") }
        return counts
    }
}
