import Foundation

/// A measured value, and the range of values that can occur. A value outside the range is an error of the measurement.
struct Reading {
    var name: String
    var value: Spread
    var possible: ClosedRange<Double>
    var unit: String

    /// The error of the measurement, if there is one.
    var fault: String? {
        guard let impossible = [value.low, value.median, value.high].first(where: { !possible.contains($0) }) else {
            return nil
        }
        let numbers = [impossible, possible.lowerBound, possible.upperBound].map { String(format: "%g", $0) }
        return "\(name): measured \(numbers[0]) \(unit), but only \(numbers[1]) to \(numbers[2]) can occur"
    }
}

/// Ranges that several cases share.
enum Possible {
    /// GiB/s over one connection through loopback. No processor copies memory faster.
    static let loopbackRates = 0.01...64.0
    /// Processors in use. The kernel reports processor time in steps of 10 ms.
    static let processors = 0.00001...1.1 * Double(ProcessInfo.processInfo.activeProcessorCount)
    /// Percent of one processor.
    static let percent = 0.01...100 * processors.upperBound
    /// The memory of a process in MiB.
    static let mebibytes = 1...Double(ProcessInfo.processInfo.physicalMemory) / 1_048_576
}

/// The rows of each case, and why cases failed.
struct Results {
    private(set) var rows: [(name: String, rows: [Row])] = []
    private var failures: [String] = []

    /// Runs a case. The case fails if it throws, or if it measures a value that cannot occur.
    mutating func add(_ name: String, _ run: () throws -> [Row]) {
        do {
            let found = try run()
            let faults = found.flatMap(\.faults)
            guard faults.isEmpty else { throw BenchFailure(faults.joined(separator: "\n")) }
            rows.append((name, found))
        } catch {
            rows.append((name, []))
            failures += "\(error)".split(separator: "\n").map { "\(name): \($0)" }
        }
    }

    /// Fails if a case failed.
    func check() throws {
        if !failures.isEmpty { throw BenchFailure(failures.joined(separator: "\n")) }
    }
}
