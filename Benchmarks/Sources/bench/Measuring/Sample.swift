/// The resources of one run of one program.
struct Sample {
    /// Seconds of wall-clock time.
    var wall: Double
    /// Seconds of processor time, user and system, of all processes of the program.
    var cpu: Double
    /// Bytes of memory at the peak, summed over these processes.
    var memory: Double
}

/// The median and the spread of several runs.
struct Spread {
    var median: Double
    var low: Double
    var high: Double
    /// The number of runs.
    var count: Int

    init(_ values: [Double]) {
        count = values.count
        let sorted = values.sorted()
        let middle = sorted.count / 2
        median = sorted.count % 2 == 1 ? sorted[middle] : (sorted[middle - 1] + sorted[middle]) / 2
        low = sorted[0]
        high = sorted[sorted.count - 1]
    }
}
