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

    @Test func aLimitOfTimeEndsEverything() {
        var world = MachineFixture.upload("PUT")
        world.feed(.deadlinePassed)
        #expect(RetryEnd(world.machine.record) == .timeUsedUp)
    }
}
