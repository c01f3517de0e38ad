import LonghaulCore
import TestSupport
import Testing

/// The policy over a server that sends in bursts, as nginx does with `limit_rate`.
@Suite struct BurstTests {
    /// One response, in milliseconds (`ngx_http_write_filter`).
    private struct Response {
        let rate: Int64
        /// `sendfile_max_chunk`: 2 MiB since nginx 1.21.4, and no limit before.
        let chunk: Int64
        let began: Int64
        var wakes: Int64
        var sent: Int64 = 0

        /// When it sent something last.
        private(set) var slept: Int64

        init(rate: Int64, chunk: Int64, at now: Int64) {
            (self.rate, self.chunk) = (rate, chunk)
            (began, wakes, slept) = (now, now, now)
        }

        /// Returns how long it has sent nothing.
        func pause(at now: Int64) -> Int64 { now - slept }

        mutating func run(until now: Int64) {
            while wakes <= now {
                let limit = rate * (wakes / 1_000 - began / 1_000 + 1) - sent
                let count = min(max(limit, 0), chunk)
                sent += count
                if count > 0 { slept = wakes }
                wakes += count > 0 ? max(count * 1_000 / rate, 1) : -limit * 1_000 / rate + 1
            }
        }
    }

    private struct Server {
        var rate: Int64 = 4 << 20
        var chunk: Int64 = 2 << 20
        /// The rate of all connections together, in bytes per second.
        var line: Int64 = .max
        var length: Int64 = 1 << 30
        /// The maximum delay of a check, in milliseconds.
        var delay: Int64 = 0
    }

    /// How many connections it uses in the end, how often it tried more, and the seconds that the whole took.
    private func run(_ server: Server, seed: UInt64) -> (count: Int, tries: Int, seconds: Int64) {
        var chance = SeededChance(seed: seed)
        let begin = Int64.random(in: 1_000..<2_000, using: &chance)
        var policy = SegmentPolicy(chosen: nil, now: begin * 1_000_000)
        var responses = [Response(rate: server.rate, chunk: server.chunk, at: begin)]
        var (now, ended, received, tries): (Int64, Int64, Int64, Int) = (begin, 0, 0, 0)
        while received < server.length, now < begin + 300_000 {
            let span = 250 + Int64.random(in: 0...server.delay, using: &chance)
            now += span
            for index in responses.indices { responses[index].run(until: now) }
            let sent = ended + responses.reduce(0) { $0 + $1.sent }
            received = min(sent, received + (server.line == .max ? server.length : server.line / 1_000 * span))
            let target = policy.target
            // The receiver's round trip lasts as long as the pauses do.
            let way = PathMetrics(least: 10, present: 290_000, pause: responses[0].pause(at: now))
            policy.update(
                SegmentPolicy.Measurement(
                    now: now * 1_000_000, received: received,
                    arrived: (responses.map(\.slept).max() ?? now) * 1_000_000, rest: max(server.length - received, 0),
                    running: responses.count,
                    way: server.line == .max ? way : nil))
            if policy.target > target { tries += 1 }
            ended += responses.dropFirst(policy.target).reduce(0) { $0 + $1.sent }
            responses = Array(responses.prefix(policy.target))
            while responses.count < policy.target {
                // Connecting takes a moment.
                let moment = now + Int64.random(in: 0...30, using: &chance)
                responses.append(Response(rate: server.rate, chunk: server.chunk, at: moment))
            }
        }
        return (responses.count, tries, (now - begin) / 1_000)
    }

    /// Sixteen connections from the start take 16 seconds, and one takes 256.
    @Test(arguments: [2 << 20, .max] as [Int64], [0, 20, 100] as [Int64])
    func burstsDoNotMislead(chunk: Int64, delay: Int64) {
        let runs = (0..<200).map { run(Server(chunk: chunk, delay: delay), seed: $0) }
        let slow = runs.filter { $0.seconds > 27 }
        let mean = runs.reduce(0) { $0 + $1.seconds } / 200
        #expect(slow.isEmpty && mean <= 20, "mean \(mean), \(slow.count) slow: \(slow.prefix(9))")
    }

    /// Two connections share what one gets.
    @Test(arguments: [0, 20, 100] as [Int64]) func fullLineKeepsOneConnection(delay: Int64) {
        let runs = (0..<50).map { run(Server(line: 4 << 20, length: 240 << 20, delay: delay), seed: $0) }
        #expect(runs.allSatisfy { $0.count <= 2 && $0.tries <= 6 }, "\(runs)")
    }
}
