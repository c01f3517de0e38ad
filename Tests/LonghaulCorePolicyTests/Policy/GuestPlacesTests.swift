import TestSupport
import Testing

@testable import LonghaulCore

/// One place more for who waits behind large transfers: it starves nobody, and stops hardly anybody.
@Suite struct GuestPlacesTests {
    private struct Job {
        var id: TransferID
        var secondsLeft: Int
        var isSmall: Bool
        var waited = 0
        var timesSentAway = 0
    }

    private let usual = 6

    /// Random walks: transfers of all sizes arrive at one host, whose rate for each does not depend on the others.
    @Test(arguments: UInt64(1)...20) func noTransferStarvesOrIsPreemptedTwice(seed: UInt64) throws {
        var chance = SeededChance(seed: seed)
        var places = GuestPlaces()
        var (waiting, running): ([Job], [Job]) = ([], [])
        var (now, last) = (WallTime(seconds: 1_000), WallTime(seconds: 0))
        var (number, largeOnes, longestWait) = (UInt64(0), 0, 0)
        for second in 0..<4_000 {
            now = WallTime(seconds: 1_000 + Int64(second))
            if second < 2_000, chance.next() % 20 == 0 {
                let isSmall = chance.next() % 4 != 0
                number += 1
                largeOnes += isSmall ? 0 : 1
                waiting.append(
                    Job(
                        id: TransferID(high: 0, low: number), secondsLeft: isSmall ? 2 : 100_000, isSmall: isSmall))
            }
            for index in running.indices { running[index].secondsLeft -= 1 }
            for job in running where job.secondsLeft <= 0 { places.noteLeft(job.id) }
            running.removeAll { $0.secondsLeft <= 0 }
            while running.count < usual, !waiting.isEmpty { running.append(waiting.removeFirst()) }
            while !waiting.isEmpty, places.isDue(at: now) {
                let next = waiting.first { !places.isFormer($0.id) }?.id
                places.see(running.map(\.id), at: now)
                let decision = places.decide(
                    .host("h"), .init(running.count, of: usual), running.map(\.id), next: next, at: now
                ) { _ in true }
                switch decision {
                case .admit(let id)?:
                    let index = try #require(waiting.firstIndex { $0.id == id })
                    running.append(waiting.remove(at: index))
                    places.note(
                        ResponseHead(status: 206, headers: [], effectiveURL: ""), of: id)
                case .sendAway(let id)?:
                    let index = try #require(running.firstIndex { $0.id == id })
                    running[index].timesSentAway += 1
                    #expect(running[index].timesSentAway == 1 && now - last >= GuestPlaces.patience)
                    last = now
                    waiting.insert(running.remove(at: index), at: 0)
                    places.noteLeft(id)
                case nil: break
                }
            }
            #expect(running.count <= usual + 1)
            for index in waiting.indices {
                waiting[index].waited += 1
                if waiting[index].isSmall { longestWait = max(longestWait, waiting[index].waited) }
            }
        }
        // Each earlier large transfer takes the overflow slot once.
        #expect(longestWait <= (largeOnes + 1) * 66)
        #expect(waiting.allSatisfy { !$0.isSmall }, "every small transfer gets its turn")
    }
}
