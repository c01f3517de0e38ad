import Testing

@testable import LonghaulCore

/// A failed transfer reports why it is not retried automatically.
@Suite struct RetryEndTests {
    private func end(_ method: String, retries: Int = 10, _ attempts: [EngineEvent]) -> RetryEnd? {
        var world = MachineFixture.upload(method) { $0.options.retryLimit = retries }
        for attempt in attempts {
            world.feed(.turnGranted)
            world.engine(attempt)
            guard case .waiting(let waiting) = world.state, let date = waiting.until else { break }
            world.now = date
            world.feed(.due)
        }
        return RetryEnd(world.machine.record)
    }

    @Test func permanentRefusalIsNotRetried() {
        #expect(end("PUT", [.ended(.ok(404))]) == .pointless)
        #expect(end("POST", [.ended(.ok(400))]) == .pointless)
        #expect(end("PUT", [.ended(.ok(501))]) == .pointless)
        #expect(end("PUT", [.ended(.ok(401))]) == .credentials)
    }

    @Test func temporaryFailureUsesAllowedTries() {
        #expect(end("PUT", retries: 1, [.broke(.connectionLost)]) == nil, "it waits")
        #expect(end("PUT", retries: 1, [.broke(.connectionLost), .broke(.connectionLost)]) == .triesUsedUp)
        #expect(end("PUT", retries: 0, [.ended(.ok(503))]) == .triesUsedUp)
        #expect(end("PUT", retries: 0, [.broke(.offline)]) == .triesUsedUp)
        let unknown = [EngineEvent](repeating: .broke(.hostNotFound), count: 3)
        #expect(end("PUT", retries: 2, unknown) == .triesUsedUp)
    }

    private static let statuses = [
        400, 401, 403, 404, 409, 410, 412, 413, 415, 422, 423, 425, 429, 500, 501, 502, 503, 504, 507, 509,
    ]
    private static let headers = [
        [], [HeaderField("Retry-After", "1")],
        [HeaderField("X-RateLimit-Remaining", "0"), HeaderField("X-RateLimit-Reset", "1")],
    ]

    /// The headers, which decide, are not stored.
    @Test(arguments: statuses, headers) func storedReasonIsThatOfTheDecision(status: Int, headers: [HeaderField]) {
        var world = MachineFixture.upload("PUT") { $0.options.retryLimit = 1 }
        var waits = 0
        for _ in 0..<2 {
            world.feed(.turnGranted)
            world.engine(.ended(.ok(status, headers)))
            guard case .waiting(let waiting) = world.state, let date = waiting.until else { break }
            waits += 1
            world.now = date
            world.feed(.due)
        }
        let expected: RetryEnd = waits > 0 ? .triesUsedUp : status == 401 ? .credentials : .pointless
        #expect(world.state.isEnded && RetryEnd(world.machine.record) == expected)
        if status == 509 || status == 413 { #expect((waits == 1) == !headers.isEmpty) }
    }

    @Test func unrepeatableRequestIsNotRepeated() {
        #expect(end("POST", [.ended(.ok(500))]) == .mightRepeat)
        #expect(end("POST", [.ended(.ok(502))]) == .mightRepeat)
        #expect(end("POST", [.broke(.connectionLost, requestLeft: false), .ended(.ok(500))]) == .mightRepeat)
        var lost = MachineFixture.upload("POST")
        lost.feed(.turnGranted)
        lost.engine(.lastBytesHeld)
        lost.engine(.broke(.connectionLost))
        #expect(RetryEnd(lost.machine.record) == .mightRepeat)
    }

    /// Only the headers of the last response say that a retry could succeed.
    @Test func headersDecideWithoutRetry() {
        let pause = [HeaderField("Retry-After", "1")]
        #expect(end("POST", [.ended(.ok(509))]) == .pointless)
        #expect(end("POST", [.ended(.ok(509, pause))]) == .mightRepeat)
    }

    @Test func retryForgetsTheReason() {
        var world = MachineFixture.upload("PUT")
        world.feed(.turnGranted)
        world.engine(.ended(.ok(404)))
        #expect(world.facts.retryEnd == .pointless)
        world.feed(.command(.retry))
        #expect(world.facts.retryEnd == nil)
    }

    @Test func aLimitOfTimeEndsEverything() {
        var world = MachineFixture.upload("PUT")
        world.feed(.deadlinePassed)
        #expect(RetryEnd(world.machine.record) == .timeUsedUp)
    }
}
