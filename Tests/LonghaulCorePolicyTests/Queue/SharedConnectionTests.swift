import TestSupport
import Testing

@testable import LonghaulCore

/// Limits with hosts whose transfers share connections.
@Suite struct SharedConnectionTests {
    private let now = WallTime(seconds: 1_000)

    /// Grants and occupies as the loop does; returns the number of grants.
    private func grant(_ queue: inout TurnQueue, isAlone: Bool = false) -> Int {
        var count = 0
        while let id = queue.next(at: now) {
            queue.occupy(entry(id, isAlone: isAlone))
            count += 1
        }
        return count
    }

    /// A transfer's number determines its host: a hundred thousand for each.
    private func entry(_ id: TransferID, isAlone: Bool = false) -> TurnQueue.Entry {
        TurnQueue.Entry(
            id: id, sequence: Int64(id.low), priority: 0, host: "h\(id.low / 100_000)", group: "",
            needsOwnConnection: isAlone)
    }

    private func entries(host: UInt64, _ count: UInt64) -> [TurnQueue.Entry] {
        (1...count).map { entry(TransferID(high: 0, low: host * 100_000 + $0)) }
    }

    private func queue(_ limits: SessionLimits = SessionLimits(), _ counts: UInt64...) -> TurnQueue {
        var queue = TurnQueue(limits: limits)
        for (host, count) in counts.enumerated() {
            for entry in entries(host: UInt64(host), count) { queue.add(entry) }
        }
        return queue
    }

    @Test func aHostThatIsHeardToShareConnectionsTakesAHundredAtOnce() {
        var queue = queue(SessionLimits(), 300)
        #expect(grant(&queue) == 6)
        queue.update("h0", sharesConnections: true)
        #expect(grant(&queue) == 94)
        #expect(queue.limit(of: TransferID(high: 0, low: 101)) == .host)
        queue.vacate(TransferID(high: 0, low: 1))
        #expect(grant(&queue) == 1)
    }

    @Test func hostWithoutSharingStartsNoTransferUntilBelowLimit() {
        var queue = queue(SessionLimits(), 300)
        queue.update("h0", sharesConnections: true)
        #expect(grant(&queue) == 100)
        queue.update("h0", sharesConnections: false)
        for number in 1...94 { queue.vacate(TransferID(high: 0, low: UInt64(number))) }
        #expect(grant(&queue) == 0)
        queue.vacate(TransferID(high: 0, low: 95))
        #expect(grant(&queue) == 1)
    }

    @Test func inAllAHundredStreamsWeighAsMuchAsSixteenConnections() {
        var queue = queue(SessionLimits(), 50, 300, 6, 6)
        queue.update("h0", sharesConnections: true)
        // Fifty streams take half of the capacity: eight connections fit beside them, six of one host and two of another.
        #expect(grant(&queue) == 50 + 8)
        #expect(queue.limit(of: TransferID(high: 0, low: 200_003)) == .total)
    }

    @Test func unsharedConnectionCountsAsOne() {
        var queue = queue(SessionLimits(), 300)
        queue.update("h0", sharesConnections: true)
        #expect(grant(&queue, isAlone: true) == 6)
    }

    @Test func smallerRequestDoesNotOvertakeNext() {
        var queue = queue(SessionLimits(total: 2, perHost: 2, streams: 10), 1, 1, 9)
        queue.update("h2", sharesConnections: true)
        #expect(grant(&queue) == 2)
        queue.add(entry(TransferID(high: 0, low: 4)))
        queue.vacate(TransferID(high: 0, low: 1))
        // The transfer with a connection is older, and fits; after it, none does.
        let next = queue.next(at: now)
        #expect(next == TransferID(high: 0, low: 4))
        queue.occupy(entry(TransferID(high: 0, low: 4)))
        #expect(grant(&queue) == 0)
        queue.vacate(TransferID(high: 0, low: 4))
        #expect(grant(&queue) == 5, "a connection's worth of streams")
    }

    @Test(arguments: [
        (SessionLimits(), 100), (SessionLimits(total: 4), 4), (SessionLimits(perHost: 1), 1),
        (SessionLimits(total: 64, perHost: 32), 32), (SessionLimits(total: 4, perHost: 2, streams: 50), 50),
    ])
    func lowStreamLimitIsHonored(limits: SessionLimits, streams: Int) {
        #expect(limits.streams == streams)
        var queue = queue(limits, 300)
        queue.update("h0", sharesConnections: true)
        #expect(grant(&queue) == streams)
    }

    @Test(arguments: 0..<60) func aRandomLifeEndsAndKeepsTheLimits(_ seed: Int) {
        var chance = SeededChance(seed: UInt64(seed) + 77)
        let limits = SessionLimits(total: 5, perHost: 2, streams: 12)
        var queue = TurnQueue(limits: limits)
        var running: [TurnQueue.Entry] = []
        for number in 1...400 {
            switch chance.next() % 5 {
            case 0, 1: queue.add(entry(TransferID(high: 0, low: chance.next() % 4 * 100_000 + UInt64(number))))
            case 2: queue.update("h\(chance.next() % 4)", sharesConnections: chance.next() % 2 == 0)
            default:
                guard let gone = running.randomElement(using: &chance) else { break }
                running.removeAll { $0.id == gone.id }
                queue.vacate(gone.id)
            }
            while let id = queue.next(at: now) {
                running.append(entry(id, isAlone: id.low % 3 == 0))
                queue.occupy(running[running.count - 1])
            }
            #expect(queue.runningCount == running.count && running.count <= 12)
        }
        // Every queued transfer gets its turn after the others have left.
        while let last = running.popLast() {
            queue.vacate(last.id)
            while let id = queue.next(at: now) {
                running.append(entry(id))
                queue.occupy(entry(id))
            }
        }
        #expect(queue.waitingCount == 0)
    }
}
