/// What one run of one program took.
struct Sample {
    /// Seconds by the wall.
    var wall: Double
    /// Seconds of processor, user and system, of every process that belongs to the program.
    var cpu: Double
    /// Bytes of memory at the highest, summed over these processes.
    var memory: Double
}

/// The middle and the spread of several runs.
struct Spread {
    var median: Double
    var low: Double
    var high: Double
    /// Of how many runs.
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
