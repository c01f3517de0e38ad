import LonghaulCore
import Testing

@Suite struct ResendRuleTests {
    @Test(arguments: ["GET", "HEAD", "OPTIONS", "TRACE", "PUT", "DELETE"])
    func anIdempotentRequestIsSentAgain(method: String) {
        #expect(ResendRule.decide(method: method, hasIdempotencyKey: false, requestLeft: true) == .sendAgain)
    }

    @Test(arguments: ["POST", "PATCH", "LOCK", "get", ""])
    func anotherRequestIsSentAgainOnlyWithAKeyOrIfItNeverLeft(method: String) {
        #expect(ResendRule.decide(method: method, hasIdempotencyKey: false, requestLeft: true) == .outcomeUnknown)
        #expect(ResendRule.decide(method: method, hasIdempotencyKey: true, requestLeft: true) == .sendAgain)
        #expect(ResendRule.decide(method: method, hasIdempotencyKey: false, requestLeft: false) == .sendAgain)
    }
}
