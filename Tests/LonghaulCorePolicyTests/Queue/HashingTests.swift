import TestSupport
import Testing

@testable import LonghaulCore

/// How identifiers spread over tables.
@Suite struct HashingTests {
    /// Returns how many of these are in each of the 256 buckets of a table.
    private func crowding(_ hashes: some Sequence<Int>) -> [Int] {
        var places = [Int](repeating: 0, count: 256)
        for hash in hashes { places[hash & 255] += 1 }
        return places
    }

    /// A burst of submissions: most identifiers differ only in their random half, or by one step in the other half.
    private func identifiers() -> [TransferID] {
        var chance = SeededChance(seed: 3)
        return (0..<16_384).map { number in
            TransferID(
                now: WallTime(microseconds: 1_700_000_000_000_000 + Int64(number / 64) * 1_000),
                random: (chance.next(), chance.next()))
        }
    }

    @Test(arguments: [0, 1, 0x7F00_1234_5640]) func identifiersSpreadEvenly(seed: Int) {
        let places = crowding(identifiers().map { $0._rawHashValue(seed: seed) })
        #expect(places.min() ?? 0 > 24 && places.max() ?? 0 < 128, "64 in each were perfect")
    }

    @Test(arguments: [0, 1, 0x7F00_1234_5640]) func identifiersThatDifferInOneHalfSpreadToo(seed: Int) {
        let counted = (0..<16_384).map { TransferID(high: UInt64($0), low: 7) }
        let others = (0..<16_384).map { TransferID(high: 7, low: UInt64($0) << 32) }
        for ids in [counted, others] {
            let places = crowding(ids.map { $0._rawHashValue(seed: seed) })
            #expect(places.max() ?? 0 < 192)
        }
    }

    @Test(arguments: [0, 1, 0x7F00_1234_5640]) func ticketsSpreadEvenly(seed: Int) {
        let places = crowding((1...16_384).map { Ticket($0)._rawHashValue(seed: seed) })
        #expect(places.max() ?? 0 < 192)
    }

    @Test func twoTablesOrderTheSameIdentifiersDifferently() {
        let ids = identifiers().prefix(1_000)
        let orders = [8, 16].map { seed in ids.sorted { $0._rawHashValue(seed: seed) < $1._rawHashValue(seed: seed) } }
        #expect(orders[0] != orders[1], "filling one in the order of the other must not crowd its beginning")
    }

    @Test func equalIdentifiersHaveEqualHashes() throws {
        let id = identifiers()[5]
        let read = try #require(TransferID(id.description))
        #expect(read == id && read.hashValue == id.hashValue && Set([id, read]).count == 1)
    }
}
