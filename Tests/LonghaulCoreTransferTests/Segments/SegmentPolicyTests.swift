import LonghaulCore
import Testing

/// The policy over computed networks: a limit for each connection and one for all of them.
@Suite struct SegmentPolicyTests {
    private static let mebibyte: Int64 = 1 << 20

    private struct Network {
        var perConnection: Int64
        var all: Int64 = .max
        /// How many connections the loop allows, or the server accepts.
        var allowed = Int.max
        var chosen: Int?
        var length: Int64 = 1 << 30
        var isHeldBack = false
    }

    /// Returns the number of connections after the given time, the highest number, and the duration of the whole download in seconds.
    private func run(_ network: Network, seconds: Int64 = .max) -> (now: Int, most: Int, seconds: Double) {
        var policy = SegmentPolicy(chosen: network.chosen, now: 0)
        var (now, received, running, most): (Int64, Int64, Int, Int) = (0, 0, 1, 1)
        let tick: Int64 = 250_000_000
        while received < network.length, now / 1_000_000_000 < seconds {
            now += tick
            received += min(network.perConnection * Int64(running), network.all) / 4
            policy.update(
                SegmentPolicy.Measurement(
                    now: now, received: received, rest: max(network.length - received, 0), running: running,
                    isHeldBack: network.isHeldBack))
            running = min(policy.target, network.allowed)
            most = max(most, running)
        }
        return (running, most, Double(now) / 1e9)
    }

    @Test func limitedConnectionsAreMultipliedInTime() {
        let found = run(Network(perConnection: 4 * Self.mebibyte))
        #expect(found.most == 16)
        // With sixteen from the start it takes 16 seconds.
        #expect(found.seconds <= 20)
    }

    /// More connections start to help after twenty seconds.
    @Test func numberIsTriedAgainLater() {
        var policy = SegmentPolicy(chosen: nil, now: 0)
        var (now, received, running): (Int64, Int64, Int64) = (0, 0, 1)
        var counts: [Int64] = []
        while now < 60_000_000_000 {
            now += 250_000_000
            received += (now < 20_000_000_000 ? 4 << 20 : running * (4 << 20)) / 4
            policy.update(SegmentPolicy.Measurement(now: now, received: received, rest: 4 << 30, running: Int(running)))
            running = Int64(policy.target)
            counts.append(running)
        }
        // Half of the time it used one, and never more than two.
        #expect(counts[..<80].max() == 2 && counts[..<80].count { $0 == 1 } >= 40, "\(counts)")
        #expect(counts.last == 16 && policy.reason == .most)
    }

    @Test func fullLineGivesUpSecondConnection() {
        let found = run(Network(perConnection: 4 * Self.mebibyte, all: 4 * Self.mebibyte), seconds: 30)
        #expect(found.most == 2 && found.now == 1)
    }

    @Test func fullLineStopsAtUsefulConnections() {
        let found = run(Network(perConnection: 4 * Self.mebibyte, all: 20 * Self.mebibyte), seconds: 21)
        #expect(found.now == 8 || found.now == 4)
        #expect(found.most == 16 || found.most == 8)
    }

    @Test(arguments: [
        Network(perConnection: 200 * 1_048_576), Network(perConnection: 40 * 1_048_576, length: 60 << 20),
        Network(perConnection: 4_096, length: 1 << 20), Network(perConnection: 4 << 20, chosen: 1),
        Network(perConnection: 4 << 20, isHeldBack: true),
    ])
    private func uselessConnectionsAreNotAdded(network: Network) {
        #expect(run(network, seconds: 30).most == 1)
    }

    /// Over HTTP/2, where the limit applies to the connection, or to each of its streams.
    @Test(arguments: [true, false])
    func streamsThatDoNotHelpAreFollowedByConnections(limitsConnection: Bool) {
        var policy = SegmentPolicy(chosen: nil, now: 0)
        var (now, received, streams, connections): (Int64, Int64, Int, Int) = (0, 0, 1, 1)
        while received < 256 << 20, now < 60_000_000_000 {
            now += 250_000_000
            received += (4 << 20) * Int64(limitsConnection ? connections : streams) / 4
            policy.update(
                SegmentPolicy.Measurement(
                    now: now, received: received, rest: max((256 << 20) - received, 0), running: streams,
                    sharesConnection: true))
            if policy.wantsOwnConnections { connections += max(policy.target - streams, 0) }
            streams = policy.target
        }
        #expect(policy.wantsOwnConnections == limitsConnection)
        // Sixteen take four seconds, one takes 64.
        #expect(now <= 11_000_000_000)
    }

    @Test func aNumberThatWasChosenIsUsedAtOnce() {
        #expect(run(Network(perConnection: 1 << 20, chosen: 7), seconds: 1).now == 7)
        #expect(run(Network(perConnection: 1 << 20, chosen: 40, length: 5 << 20), seconds: 1).most <= 5)
    }

    @Test func deniedConnectionIsRequestedAgain() {
        var policy = SegmentPolicy(chosen: nil, now: 0)
        var (now, asked): (Int64, [Int]) = (0, [])
        for _ in 0..<80 {
            now += 250_000_000
            policy.update(
                SegmentPolicy.Measurement(now: now, received: now / 1_000, rest: 1 << 30, running: 1))
            asked.append(policy.target)
        }
        #expect(asked.contains(2) && asked.last.map { $0 <= 2 } == true)
        #expect(zip(asked, asked.dropFirst()).count { $0 == 1 && $1 == 2 } >= 2)
    }

    @Test func afterARefusalThereAreNoMoreForAWhile() {
        var policy = SegmentPolicy(chosen: 8, now: 0)
        let look = SegmentPolicy.Measurement(now: 1_000_000_000, received: 1 << 20, rest: 1 << 30, running: 8)
        policy.update(look)
        policy.refuse(running: 3, at: look.now)
        #expect(policy.target == 3)
        policy.update(look)
        policy.refuse(running: 0, at: look.now)
        #expect(policy.target == 1, "one connection must remain for the rest")
        #expect(policy.isRefused && policy.reason == .refused)
        let later = SegmentPolicy.Measurement(now: 61_000_000_000, received: 2 << 20, rest: 1 << 30, running: 1)
        policy.update(later)
        #expect(policy.target == 8 && !policy.isRefused && policy.reason == .chosen)
    }

    @Test func sharedRefusalLowersTarget() {
        var policy = SegmentPolicy(chosen: 4, now: 0)
        policy.update(SegmentPolicy.Measurement(now: 1_000_000_000, received: 1 << 20, rest: 1 << 30, running: 4))
        // Each of the three learns that it was refused before it learns of the others.
        for left in [3, 2, 1] {
            policy.refuse(running: 3, at: 1_000_000_000)
            #expect(policy.target == left)
        }
    }
}
