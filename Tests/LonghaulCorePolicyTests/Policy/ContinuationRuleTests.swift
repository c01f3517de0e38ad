import Testing

@testable import LonghaulCore

/// The dates that prove that a partial file of another program is the start of the server's file.
@Suite struct ContinuationRuleTests {
    /// Fri, 15 Jan 2027 08:00:00 GMT
    private static let changed = WallTime(seconds: 1_800_000_000)

    private func doubt(begun: WallTime?, modified: WallTime, _ fields: [HeaderField]? = nil) -> ContinuationDoubt? {
        let fields = fields ?? [HeaderField("Last-Modified", HTTPDate.format(Self.changed))]
        let head = ResponseHead(status: 206, headers: fields, effectiveURL: "https://h/f")
        return ContinuationRule.doubt(after: head, FileAge(begunAt: begun, modifiedAt: modified))
    }

    @Test func laterStartProvesSameVersion() {
        for (seconds, expected) in [
            (60, nil), (3_600, nil), (59, ContinuationDoubt.changedSince), (0, .changedSince), (-5_000, .changedSince),
        ] as [(Int, ContinuationDoubt?)] {
            let begun = Self.changed + .seconds(seconds)
            #expect(doubt(begun: begun, modified: begun + .seconds(6_000)) == expected, "\(seconds)")
        }
    }

    @Test func withoutTheMomentOfItsBeginNothingIsProved() {
        let later = Self.changed + .seconds(900)
        #expect(doubt(begun: nil, modified: later) == .unknownBegin)
        // A copy is created after the last change of its original.
        #expect(doubt(begun: later + .seconds(300), modified: later) == .unknownBegin)
    }

    @Test func theServersOwnDateProvesAFileOfAnyAge() {
        #expect(doubt(begun: Self.changed + .seconds(9), modified: Self.changed) == nil)
        #expect(doubt(begun: nil, modified: Self.changed + .microseconds(1)) == nil)
        #expect(doubt(begun: nil, modified: Self.changed + .seconds(1)) == .unknownBegin)
    }

    @Test func aServerWithoutADateProvesNothingButByADigest() {
        let begun = Self.changed + .seconds(900)
        #expect(doubt(begun: begun, modified: begun, [HeaderField("ETag", "\"one\"")]) == .noDate)
        #expect(doubt(begun: begun, modified: begun, [HeaderField("Last-Modified", "yesterday")]) == .noDate)
        let digest = "sha-256=:" + Base64.encode([UInt8](repeating: 7, count: 32)) + ":"
        #expect(doubt(begun: nil, modified: begun, [HeaderField("Repr-Digest", digest)]) == nil)
    }

    @Test(arguments: [
        (1, 1), (65_536, 65_536), (100_000, 65_536), (2 << 20, 128 << 10), (16 << 20, 1 << 20), (1 << 40, 1 << 20),
    ])
    func comparedOverlapDependsOnFileLength(length: Int, overlap: Int) {
        #expect(ContinuationRule.overlap(of: Int64(length)) == Int64(overlap))
    }

    @Test func everyDoubtIsASentenceWithARemedy() {
        for raw in 0..<6 {
            let failure = ContinuationDoubt(rawValue: raw)?.failure("/d/f")
            #expect(
                failure?.code == .destinationExists
                    && failure?.message.hasPrefix("Cannot resume /d/f, which is unchanged") == true)
        }
    }
}
