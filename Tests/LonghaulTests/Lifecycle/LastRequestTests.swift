import LonghaulCore
import Testing

@testable import Longhaul

@Suite struct LastRequestTests {
    private let request = TransferSpec(work: .request(body: [1]), method: "POST", url: "http://example.org/bye")

    private func marked(_ spec: TransferSpec) -> TransferSpec {
        spec.asLastRequest(random: (1, 2), now: WallTime(seconds: 1))
    }

    @Test func lastRequestGetsKeyAndHighestPriority() {
        let last = marked(request)
        #expect(last.options.idempotencyKey.map { TransferID($0) != nil } ?? false)
        #expect(last.options.priority == 1_000_000 && last.options.isAttended)
    }

    @Test func explicitOptionsAreKept() {
        var own = request
        own.options.idempotencyKey = "mine"
        own.options.priority = 3
        #expect(marked(own).options.idempotencyKey == "mine" && marked(own).options.priority == 3)
        var field = request
        field.headers = [HeaderField("idempotency-key", "\"mine\"")]
        #expect(marked(field).options.idempotencyKey == nil)
    }
}
