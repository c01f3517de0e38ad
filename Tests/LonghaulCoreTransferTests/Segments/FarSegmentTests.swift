import LonghaulCore
import Testing

/// The policy at high latency, where each connection starts with ten packets and doubles its bytes in flight in each
/// round trip, up to its own limit, and all share one line.
@Suite struct FarSegmentTests {
    private struct Line {
        var perConnection: Int64 = .max
        var all: Int64 = .max
        var length: Int64 = 256 << 20
        var roundTrip: Int64 = 50_000_000
        /// Whether packets that wait for the line are visible.
        var showsQueue = true
        /// How many connections the host's limit allows.
        var allowed = Int.max
        var sharesConnection = false
    }

    private struct Outcome {
        /// The number of connections after each round trip.
        var counts: [Int] = []
        var seconds = 0.0
        var wantsOwnConnections = false
    }

    private func run(_ line: Line) -> Outcome {
        var policy = SegmentPolicy(chosen: nil, now: 0)
        var course = Outcome()
        var (now, received): (Int64, Int64) = (0, 0)
        // The age of each connection in round trips; the first three transfer nothing.
        var ages = [3]
        while received < line.length, now < 120_000_000_000 {
            let windows = ages.map { $0 < 3 ? 0 : Int64(14_480) << min(Int64($0) - 3, 20) }
            let limit = line.perConnection == .max ? .max : line.perConnection / 20
            let wanted = windows.reduce(0) { $0 + min($1, limit) }
            let most = line.all == .max ? .max : line.all / 20
            received += min(wanted, most)
            ages = ages.map { $0 + 1 }
            // Twice in each round trip, as the connection pool checks.
            for half in 1...2 {
                policy.update(
                    SegmentPolicy.Measurement(
                        now: now + line.roundTrip * Int64(half) / 2, received: received,
                        rest: max(line.length - received, 0), running: ages.count,
                        sharesConnection: line.sharesConnection,
                        way: PathMetrics(
                            roundTrip: line.roundTrip, isFull: line.showsQueue && wanted > most)))
            }
            now += line.roundTrip
            let target = min(policy.target, line.allowed)
            ages = Array(ages.prefix(target)) + Array(repeating: 0, count: max(target - ages.count, 0))
            course.counts.append(ages.count)
        }
        course.seconds = Double(now) / 1e9
        course.wantsOwnConnections = policy.wantsOwnConnections
        return course
    }

    /// Loss limits each connection to 8 MiB a second: a single one takes 32 seconds, sixteen from the start two and a half.
    @Test(arguments: [true, false])
    func lossyLineGetsManyConnectionsQuickly(sharesConnection: Bool) {
        let course = run(Line(perConnection: 8 << 20, sharesConnection: sharesConnection))
        #expect(course.counts.prefix(4).last == 16, "\(course.counts)")
        #expect(course.seconds <= 2.5)
        #expect(course.wantsOwnConnections == sharesConnection)
    }

    @Test func fullLineDropsToOneConnection() {
        let course = run(Line(all: 10 << 20))
        #expect(course.counts.last == 1, "\(course.counts)")
        #expect(course.seconds <= 27)
    }

    /// A failed attempt to use fewer connections costs a second.
    @Test func shortRemainderKeepsItsConnections() {
        #expect(run(Line(all: 32 << 20)).counts.last == 16)
    }

    @Test func slowerTrialRestoresConnections() {
        // Three fill the line.
        let course = run(Line(perConnection: 4 << 20, all: 10 << 20))
        #expect(course.counts.last == 4, "\(course.counts)")
    }

    @Test(arguments: [
        Line(all: 4 << 20, roundTrip: 1_000_000), Line(perConnection: 1 << 30, length: 20 << 20),
        Line(length: 60 << 20, allowed: 1),
    ])
    private func unpromisingLineKeepsOneConnection(line: Line) {
        #expect(run(line).counts.prefix(10).max() == 1)
    }

    @Test func aQueueIsSeenByWhatItAddsToTheRoundTrip() {
        #expect(
            !PathMetrics(least: 50_000, present: 60_000).isFull && PathMetrics(least: 50_000, present: 90_000).isFull)
        #expect(!PathMetrics(least: 100, present: 9_000).isFull && !PathMetrics(least: 50_000, present: 0).isFull)
        #expect(PathMetrics(least: 10, present: 90_000, pause: 50).pauses)
        #expect(!PathMetrics(least: 10, present: 0, pause: 49).pauses)
        #expect(!PathMetrics(least: 100_000, present: 0, pause: 90).pauses)
        #expect(PathMetrics(least: 50_000, present: 0).isFar && !PathMetrics(least: 900, present: 0).isFar)
    }
}
