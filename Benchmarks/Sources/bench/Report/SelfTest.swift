import Foundation

/// Checks that impossible values fail a case, and that possible ones do not.
enum SelfTest {
    static func run() throws {
        try expect("values inside their ranges", fails: false, rows: [row(0), row(64), row(60_000)])
        try expect("a negative count", fails: true, rows: [row(64), row(-27_118)])
        try expect("a value above its range", fails: true, rows: [row(60_001)])
        try expect("one round below its range", fails: true, rows: [row(-1, 2, 3)])
        try expect("one round above its range", fails: true, rows: [row(1, 2, 70_000)])
        try expect("a value that is no number", fails: true, rows: [row(.nan)])
        try expect("a contest", fails: false, rows: contest(ours: sample(), theirs: sample()))
        try expect("a run without duration", fails: true, rows: contest(ours: sample(wall: 0), theirs: sample()))
        try expect("a peer that moved nothing", fails: true, rows: contest(ours: sample(), theirs: sample(wall: 1e-3)))
        try expect("a speed below its range", fails: true, rows: contest(ours: sample(wall: 1e6), theirs: sample()))
        try expect("negative processor time", fails: true, rows: contest(ours: sample(cpu: -1), theirs: sample()))
        try expect("more processors than exist", fails: true, rows: contest(ours: sample(cpu: 1e6), theirs: sample()))
        try expect("a program without memory", fails: true, rows: contest(ours: sample(), theirs: sample(memory: 0)))
        try checkWakeUps()
        print("ok")
    }

    private static func expect(_ what: String, fails: Bool, rows: [Row]) throws {
        var results = Results()
        results.add("planted") { rows }
        var failure: (any Error)?
        do { try results.check() } catch { failure = error }
        // The rows of a failed case must not reach the table.
        guard (failure != nil) == fails, results.rows[0].rows.isEmpty == fails else {
            throw BenchFailure("selftest: \(what): \(failure.map { "\($0)" } ?? "no failure")")
        }
    }

    private static func row(_ values: Double...) -> Row {
        Row(benchCase: "planted", measure: "count", ours: "", value: Spread(values), possible: 0...60_000)
    }

    private static func sample(wall: Double = 1, cpu: Double = 0.5, memory: Double = 10_485_760) -> Sample {
        Sample(wall: wall, cpu: cpu, memory: memory)
    }

    /// The rows of a contest over 1 GiB.
    private static func contest(ours: Sample, theirs: Sample) -> [Row] {
        let samples = ["longhaul": [ours], "peer": [theirs]]
        return Row.comparing(
            "planted", samples, with: "peer", amount: 1, unit: "GiB", rates: Possible.loopbackRates)
            + [Row.memory("planted", samples, peers: ["peer"])]
    }

    /// Threads that end, begin, and have the number of an ended one.
    private static func checkWakeUps() throws {
        var counted = WakeUps(from: ["1": 10, "2": 13_559, "3": 500])
        counted.add(["1": 12, "3": 7, "4": 3])
        guard counted.count == 2 + 1 + 7 + 3 else {
            throw BenchFailure("selftest: \(counted.count) wake-ups instead of 13")
        }
        // In this process: the thread ends after the first reading.
        let thread = Thread {
            for _ in 0..<100 { usleep(1_000) }
            usleep(300_000)
        }
        thread.start()
        usleep(250_000)
        var ownCount = try WakeUps(of: getpid())
        while !thread.isFinished { usleep(10_000) }
        try ownCount.update()
        guard (1...10_000).contains(ownCount.count) else {
            throw BenchFailure("selftest: \(ownCount.count) wake-ups while a thread ended")
        }
    }
}
