import LonghaulCore
import Testing

@testable import LonghaulRuntime

@Suite struct MailboxTests {
    private static let past: [Int64] = [.min, .min + 1, .min + 999_998, -1, 0]

    @Test(arguments: past)
    func pastDeadlineReturnsImmediately(_ microseconds: Int64) {
        #expect(Mailbox().receive(until: WallTime(microseconds: microseconds)).isEmpty)
    }

    @Test func turnTakesFewQueriesAndKeepsTheOrder() {
        let mailbox = Mailbox()
        let list = LoopInput.command(.list(ListQuery())) { _ in }
        let change = LoopInput.command(.submit([])) { _ in }
        mailbox.put([change] + Array(repeating: list, count: 40) + [change])
        let first = mailbox.receive(until: nil)
        #expect(first.count == 33 && !first[0].isQuery && first.dropFirst().allSatisfy(\.isQuery))
        let second = mailbox.receive(until: nil)
        #expect(second.map(\.isQuery) == Array(repeating: true, count: 8) + [false])
    }

    @Test func stopWaitsForNoQuery() {
        let mailbox = Mailbox()
        mailbox.put(Array(repeating: LoopInput.command(.list(ListQuery())) { _ in }, count: 100) + [.stop])
        #expect(mailbox.receive(until: nil).count == 101)
    }
}
