import LonghaulCore
import Testing

@Suite struct ResumeLadderTests {
    private static let date = "Sun, 06 Nov 1994 08:49:37 GMT"

    private static func validators(
        _ tag: String?, _ date: String? = nil, isSoft: Bool = false, total: Int64? = 10_000
    ) -> Validators {
        Validators(entityTag: tag, lastModified: date, isSoft: isSoft, total: total)
    }

    private func plan(_ length: Int64, _ validators: Validators?, digest: Bool = false, overlap: Int64 = 10)
        -> ResumeDecision
    {
        ResumeLadder.plan(
            partialLength: length, validators: validators, hasTrustedDigest: digest, requestOverlap: overlap)
    }

    private func isResumed(_ decision: ResumeDecision) -> Bool {
        if case .resume = decision { return true }
        return false
    }

    @Test(
        arguments: [
            (validators("\"a\""), true), (validators(nil, date), true), (validators("W/\"a\"", date), true),
            (validators("unquoted", date), true), (validators("\"a\"", isSoft: true), false),
            (validators(nil, date, isSoft: true), false), (validators("W/\"a\""), false),
            (validators("unquoted"), false),
            (validators(nil, "yesterday"), false), (validators(nil), false), (nil, false),
        ] as [(Validators?, Bool)])
    func onlyAGuardedPartialFileIsResumed(validators: Validators?, isGuarded: Bool) {
        #expect(isResumed(plan(5_000, validators)) == isGuarded)
        #expect(isResumed(plan(5_000, validators, digest: true)))
    }

    @Test func theLengthDecidesFirst() {
        let validators = Self.validators("\"a\"")
        #expect(plan(10_000, validators) == .alreadyComplete)
        #expect(plan(10_001, validators) == .fromStart)
        #expect(plan(0, validators, digest: true) == .fromStart)
        #expect(plan(-1, validators, digest: true) == .fromStart)
        #expect(plan(10_000, Self.validators(nil, isSoft: true)) == .alreadyComplete)
        #expect(plan(10_001, Self.validators("\"a\""), digest: true) == .fromStart)
    }

    @Test(
        arguments: [(5_000, 4_096, 4_096), (100, 4_096, 100), (100, 0, 0), (100, -5, 0), (1, 1, 1)]
            as [(Int64, Int64, Int64)])
    func theOverlapNeverExceedsTheFile(length: Int64, asked: Int64, overlap: Int64) {
        let validators = Self.validators("\"a\"")
        let point = ResumePoint(length: length, overlap: overlap, validators: validators)
        #expect(plan(length, validators, overlap: asked) == .resume(point))
        #expect(point.requestedStart >= 0)
    }

    @Test(arguments: [
        (validators("\"a\"", date), ["Range: bytes=90-", "If-Match: \"a\"", "If-Range: \"a\""]),
        (validators("\"a\"", isSoft: true), ["Range: bytes=90-", "If-Match: \"a\"", "If-Range: \"a\""]),
        (validators("W/\"a\"", date), ["Range: bytes=90-", "If-Range: \(date)", "If-Unmodified-Since: \(date)"]),
        (validators(nil, date), ["Range: bytes=90-", "If-Range: \(date)", "If-Unmodified-Since: \(date)"]),
        (validators(nil, date, isSoft: true), ["Range: bytes=90-"]), (validators("W/\"a\""), ["Range: bytes=90-"]),
        (validators("unquoted", "yesterday"), ["Range: bytes=90-"]), (validators(nil), ["Range: bytes=90-"]),
    ])
    func theFieldsCarryTheStrongestGuard(validators: Validators, fields: [String]) {
        let point = ResumePoint(length: 100, overlap: 10, validators: validators)
        #expect(ResumeLadder.headers(for: point).map { "\($0.name): \($0.value)" } == fields)
    }
}
