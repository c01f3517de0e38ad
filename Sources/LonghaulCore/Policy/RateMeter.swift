/// The rate over the last seconds in bytes per second, as shown beside a progress bar.
package struct RateMeter: Equatable, Sendable {
    private struct Sample: Equatable, Sendable {
        var at: WallTime
        var bytes: Int64
    }

    private static let window = Duration.seconds(5)
    /// The minimum time between samples.
    private static let spacing = Duration.milliseconds(250)

    private var samples: [Sample] = []
    private var latest: Sample?

    package init() {}

    /// Whether it has no sample yet.
    package var isNew: Bool { latest == nil }

    /// Takes a counter's value. Restarts if the counter fell or the clock was set back.
    package mutating func update(_ bytes: Int64, at now: WallTime) {
        if let latest, bytes < latest.bytes || now < latest.at { self = RateMeter() }
        latest = Sample(at: now, bytes: bytes)
        if let last = samples.last, now - last.at < Self.spacing { return }
        samples.append(Sample(at: now, bytes: bytes))
        while samples.count > 1, now - samples[1].at >= Self.window { samples.removeFirst() }
    }

    /// The rate; 0 until the samples span a quarter of a second.
    package var bytesPerSecond: Int64 {
        guard let first = samples.first, let latest else { return 0 }
        let span = latest.at - first.at
        guard span >= Self.spacing else { return 0 }
        return Int64(Double(latest.bytes - first.bytes) * 1_000_000 / Double(span.microseconds))
    }
}
