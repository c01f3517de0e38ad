import TestSupport
import Testing

@testable import LonghaulCore

/// Transfers that start beyond limits.
@Suite struct AttendedTurnTests {
    private let now = WallTime(seconds: 1_000)

    private func entry(
        _ number: Int, _ standing: TurnStanding = .usual, host: String = "h", group: String = "", priority: Int = 0
    ) -> TurnQueue.Entry {
        TurnQueue.Entry(
            id: TransferID(high: 0, low: UInt64(number)), sequence: Int64(number), priority: priority, host: host,
            group: group, standing: standing)
    }

    /// Grants and occupies as the loop does; returns the sequence numbers.
    private func grant(_ queue: inout TurnQueue, _ entries: [TurnQueue.Entry]) -> [Int64] {
        var granted: [Int64] = []
        while let id = queue.next(at: now) ?? queue.nextPrompt() {
            guard let entry = entries.first(where: { $0.id == id }) else { break }
            queue.occupy(entry)
            granted.append(entry.sequence)
        }
        return granted
    }

    private func queue(_ limits: SessionLimits, _ entries: [TurnQueue.Entry]) -> TurnQueue {
        var queue = TurnQueue(limits: limits)
        for entry in entries { queue.add(entry) }
        return queue
    }

    @Test func attendedTransfersExceedDefaultLimits() {
        let entries = (1...20).map { entry($0) } + (21...24).map { entry($0, .attended) }
        var queue = queue(SessionLimits(), entries)
        #expect(Set(grant(&queue, entries)) == Set(1...2).union(21...24))
        let more = (31...50).map { entry($0, host: "h\($0)") } + [entry(51, .attended)]
        for entry in more { queue.add(entry) }
        #expect(grant(&queue, more).count == 11, "ten more in total, and the attended one")
        #expect(queue.runningCount == 17 && queue.limit(of: more[19].id) == .total)
    }

    @Test func attendedTransfersExceedTheLimitOfStreams() {
        let entries = (1...120).map { entry($0) } + [entry(121, .attended)]
        var queue = queue(SessionLimits(), entries)
        queue.update("h", sharesConnections: true)
        #expect(grant(&queue, entries).count == 100)
        let attended = entry(122, .attended)
        queue.add(attended)
        #expect(grant(&queue, [attended]) == [122])
        var chosen = self.queue(SessionLimits(streams: 3), entries)
        chosen.update("h", sharesConnections: true)
        #expect(grant(&chosen, entries) == [121, 1, 2])
        chosen.add(attended)
        #expect(grant(&chosen, [attended]).isEmpty && chosen.limit(of: attended.id) == .host)
        #expect(chosen.limitCount(of: attended.id) == 3)
    }

    @Test(arguments: [
        (SessionLimits(perHost: 6), TransferSnapshot.TurnLimit.host, 6), (SessionLimits(total: 16), .total, 16),
        (SessionLimits(perGroup: ["g": 2]), .group, 2),
    ])
    func setLimitsHoldForAttendedTransfers(limits: SessionLimits, limit: TransferSnapshot.TurnLimit, count: Int) {
        let entries = (1...40).map { number in
            entry(number, host: limit == .total ? "h\(number)" : "h", group: limit == .group ? "g" : "")
        }
        var queue = queue(limits, entries)
        #expect(grant(&queue, entries).count == count)
        let attended = entry(50, .attended, group: limit == .group ? "g" : "")
        queue.add(attended)
        #expect(grant(&queue, [attended]).isEmpty)
        #expect(queue.limit(of: attended.id) == limit && queue.limitCount(of: attended.id) == count)
        // It is the next of equal priority.
        queue.vacate(entries[0].id)
        #expect(grant(&queue, entries + [attended]) == [50])
    }

    @Test func startedTransferExceedsAnyLimit() {
        let entries = (1...4).map { entry($0, group: "g") }
        var queue = queue(SessionLimits(total: 1, perHost: 1, perGroup: ["g": 1]), entries)
        #expect(grant(&queue, entries) == [1])
        let results = [queue.start(entries[2]), queue.start(entries[2]), queue.start(entries[0])]
        #expect(results == [true, false, false])
        #expect(queue.limit(of: entries[2].id) == nil && queue.limit(of: entries[1].id) == .host)
        #expect(grant(&queue, entries) == [3])
        _ = queue.start(entries[3])
        queue.unstart(entries[3])
        #expect(grant(&queue, entries).isEmpty)
        queue.vacate(entries[0].id)
        #expect(grant(&queue, entries).isEmpty, "it counts as running")
        queue.vacate(entries[2].id)
        #expect(grant(&queue, entries) == [2])
    }

    @Test func attendedTransferWaitsForHeldHost() {
        let attended = entry(1, .attended)
        var queue = queue(SessionLimits(), [attended])
        queue.hold(host: "h", until: now + .seconds(5), for: TransferID(high: 0, low: 9))
        #expect(grant(&queue, [attended]).isEmpty && queue.limit(of: attended.id) == .heldHost)
        #expect(queue.next(at: now + .seconds(5)) == attended.id)
    }

    @Test func urgentTransferStartsBesideAttendedOnes() {
        let entries = (1...6).map { entry($0) } + (7...9).map { entry($0, .attended) } + [entry(10, priority: 5)]
        var queue = queue(SessionLimits(), Array(entries[..<6]))
        #expect(grant(&queue, entries).count == 6)
        for entry in entries[6...8] { queue.add(entry) }
        #expect(grant(&queue, entries) == [7, 8, 9])
        queue.add(entries[9])
        #expect(grant(&queue, entries) == [10])
    }
}
