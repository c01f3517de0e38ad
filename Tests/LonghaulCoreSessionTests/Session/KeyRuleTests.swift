import LonghaulCore
import Testing

@Suite struct KeyRuleTests {
    private static func options(
        _ conflict: TransferOptions.KeyConflict, after predecessor: TransferID? = nil
    ) -> TransferOptions {
        var options = TransferOptions()
        options.key = "k"
        options.keyConflict = conflict
        options.predecessor = predecessor
        return options
    }

    private static let live = SessionFixture.record(1, SessionFixture.turn)
    private static let ended = SessionFixture.record(2, .succeeded)
    private static var leaving: TransferRecord {
        var record = ended
        record.facts.cleanup = [.record]
        return record
    }

    @Test func whoKeepsJoinsWhatStays() {
        #expect(KeyRule.judge(Self.options(.keep), holder: Self.live) == .joins)
        #expect(KeyRule.judge(Self.options(.keep), holder: Self.ended) == .joins)
        #expect(KeyRule.judge(Self.options(.keep), holder: Self.leaving) == .takes(cancels: false))
    }

    @Test func whoReplacesCancelsWhatIsNotOver() {
        #expect(KeyRule.judge(Self.options(.replace), holder: Self.live) == .takes(cancels: true))
        #expect(KeyRule.judge(Self.options(.replace), holder: Self.ended) == .takes(cancels: false))
        let verdict = KeyRule.judge(Self.options(.replace, after: Self.live.id), holder: Self.live)
        guard case .refuses(let failure) = verdict else { return #expect(Bool(false)) }
        #expect(failure.code == .keyTaken, "it would wait for what it has cancelled")
    }

    @Test func whoAppendsSharesIt() {
        for holder in [Self.live, Self.ended, Self.leaving] {
            #expect(KeyRule.judge(Self.options(.append), holder: holder) == .shares)
        }
    }

    @Test func aFollowerThatIsSubmittedAgainIsFoundByItsKey() {
        let follower = Self.options(.keep, after: Self.ended.id)
        #expect(KeyRule.wasAccepted(follower, holder: Self.live))
        #expect(!KeyRule.wasAccepted(follower, holder: Self.leaving))
        #expect(!KeyRule.wasAccepted(Self.options(.keep), holder: Self.live))
        #expect(!KeyRule.wasAccepted(Self.options(.replace, after: Self.ended.id), holder: Self.live))
    }
}
