import LonghaulCore
import Testing

@testable import LonghaulCurl

@Suite struct BodyPathTests {
    static let long = ResponseTraits(bodyLength: 1 << 30, isFramedByLength: true, isPlain: true)

    private func traits(_ change: (inout ResponseTraits) -> Void) -> ResponseTraits {
        var traits = Self.long
        change(&traits)
        return traits
    }

    @Test func aLongPlainBodyIsTakenOver() {
        #expect(BodyPathRule().path(of: Self.long) == .takenOver)
        #expect(BodyPathRule().path(of: traits { $0.bodyLength = 4 << 20 }) == .takenOver)
    }

    @Test func aLongBodyThatIsNotBytesOnTheWireIsHandedOver() {
        for other in [
            traits { $0.isPlain = false }, traits { $0.isFramedByLength = false }, traits { $0.hasSentAll = false },
        ] {
            #expect(BodyPathRule().path(of: other) == .handedOver)
        }
    }

    @Test func shortLimitedAndUnknownBodiesAreStreamed() {
        for other in [
            traits { $0.isRateLimited = true }, traits { $0.bodyLength = nil },
            traits { $0.bodyLength = (4 << 20) - 1 },
        ] {
            #expect(BodyPathRule().path(of: other) == .streamed)
        }
    }

    @Test func aSmallBodyIsGathered() {
        for length in [0, 1, 256 << 10] as [Int64] {
            #expect(BodyPathRule().path(of: traits { $0.bodyLength = length }) == .gathered)
        }
        #expect(BodyPathRule().path(of: traits { $0.bodyLength = 256 << 10 | 1 }) == .streamed)
    }

    @Test func longDigestedBodyIsHandedOver() {
        #expect(BodyPathRule().path(of: traits { $0.isDigested = true }) == .takenOver)
        var digested = traits {
            $0.isDigested = true
            $0.bodyLength = nil
        }
        #expect(BodyPathRule().path(of: digested) == .handedOver)
        digested.bodyLength = 1 << 20
        #expect(BodyPathRule().path(of: digested) == .streamed)
    }

    @Test func aLibcurlThatWasNotTestedMovesAllBodies() {
        let rule = BodyPathRule().limited(to: .none)
        #expect(rule.path(of: Self.long) == .handedOver)
        #expect(!rule.mayBeSentDirectly(1 << 30, isPlain: true))
        #expect(BodyPathRule().limited(to: DirectPaths(receives: true, sends: true)) == BodyPathRule())
    }

    @Test func onlyMuchOfAFileIsSentDirectly() {
        let rule = BodyPathRule()
        #expect(rule.mayBeSentDirectly(1 << 20, isPlain: true))
        #expect(!rule.mayBeSentDirectly(1 << 20 - 1, isPlain: true))
        #expect(!rule.mayBeSentDirectly(1 << 30, isPlain: false))
        #expect(!BodyPathRule.libcurl.mayBeSentDirectly(1 << 30, isPlain: true))
    }
}
