import LonghaulCore
import Testing

@testable import LonghaulRuntime

@Suite struct MailboxTests {
    private static let past: [Int64] = [.min, .min + 1, .min + 999_998, -1, 0]

    @Test(arguments: past)
    func pastDeadlineReturnsImmediately(_ microseconds: Int64) {
        #expect(Mailbox().receive(until: WallTime(microseconds: microseconds)).isEmpty)
    }
}
