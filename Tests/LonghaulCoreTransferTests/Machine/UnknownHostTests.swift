import TestSupport
import Testing

@testable import LonghaulCore

/// Host names that do not exist, and name servers without an answer.
@Suite struct UnknownHostTests {
    /// Breaks one attempt and waits for the next one. Returns how long the wait took; `nil` if the
    /// transfer failed.
    private func breakOnce(_ world: inout MachineFixture, _ code: FailureCode) -> Duration? {
        world.feed(.turnGranted)
        world.engine(.broke(code, requestLeft: false))
        guard case .waiting(let waiting) = world.state, let date = waiting.until else { return nil }
        let wait = date - world.now
        world.now = date
        world.feed(.due)
        return wait
    }

    /// Returns how many retries the snapshot promised after the first failure, and how many there
    /// were.
    private func retries(_ world: MachineFixture) -> (promised: Int?, made: Int) {
        var world = world
        var promised: Int?
        var made = 0
        while true {
            world.feed(.turnGranted)
            world.engine(.broke(.hostNotFound, requestLeft: false))
            guard case .waiting(let waiting) = world.state, let date = waiting.until else { return (promised, made) }
            promised = promised ?? TransferSnapshot(world.machine.record).attemptsLeft
            made += 1
            world.now = date
            world.feed(.due)
        }
    }

    @Test(arguments: [(10, nil, 10), (40, nil, 40), (1, nil, 1), (10, 2, 2), (1, 2, 1)] as [(Int, Int?, Int)])
    func promisedRetriesAreMade(limit: Int, forUnknown: Int?, expected: Int) {
        let world = MachineFixture.download {
            $0.options.retryLimit = limit
            $0.options.unknownHostRetryLimit = forUnknown
        }
        let (promised, made) = retries(world)
        #expect(promised == expected && made == expected)
    }

    @Test func unknownHostFailsAttachedTransferWithinFiveSeconds() {
        var world = MachineFixture.download { $0.options.unknownHostRetryLimit = 2 }
        let begin = world.now
        while breakOnce(&world, .hostNotFound) != nil {}
        #expect(world.state.isEnded && world.now - begin < .seconds(4))
        #expect(RetryEnd(world.machine.record) == .unknownHost)
    }

    /// CURLE_COULDNT_RESOLVE_PROXY and CURLE_COULDNT_CONNECT.
    @Test(arguments: [(5, 2), (7, 10)]) func unknownProxyHasTheRetriesOfAnUnknownHost(code: Int, retries: Int) {
        let world = MachineFixture.download { $0.options.unknownHostRetryLimit = 2 }
        let failure = TransferFailure(.proxyFailed, "No.", origin: .curl(code))
        #expect(world.facts.retryLimit(after: failure, world.machine.record.spec.options) == retries)
    }

    @Test func hostThatAnsweredGetsAllRetries() {
        var world = MachineFixture.download { $0.options.unknownHostRetryLimit = 2 }
        world.feed(.turnGranted)
        world.engine(.receiving(.file()))
        world.engine(.written(10, complete: false))
        #expect(
            world.facts.retryLimit(after: TransferFailure(.hostNotFound, "No."), world.machine.record.spec.options)
                == 10)
    }

    @Test func givenRetryLimitReplacesTheShorterOne() {
        var world = MachineFixture.download { $0.options.unknownHostRetryLimit = 2 }
        var adjustment = TransferAdjustment()
        adjustment.retryLimit = 7
        world.feed(.adjusted(adjustment))
        #expect(retries(world).made == 7)
    }

    @Test func failedLookupUsesNoRetryAndIsRepeatedWithinFourSeconds() throws {
        var world = MachineFixture.download()
        let begin = world.now
        for _ in 0..<200 {
            let wait = try #require(breakOnce(&world, .nameLookupFailed))
            #expect(wait >= .seconds(2) && wait <= .seconds(4))
        }
        #expect(world.now - begin >= .seconds(400) && world.facts.failuresInARow == 0)
        let later = try #require(breakOnce(&world, .nameLookupFailed))
        #expect(later >= .seconds(15) && later <= .seconds(30))
        #expect(breakOnce(&world, .connectionRefused) != nil && world.facts.failedLookups == 0)
    }

    @Test func failedLookupWaitsForTheNetworkUnlessRetriesAreForbidden() {
        var world = MachineFixture.upload("POST")
        world.feed(.turnGranted)
        world.engine(.broke(.nameLookupFailed, requestLeft: false))
        guard case .waiting(let waiting) = world.state else { return #expect(Bool(false), "\(world.state)") }
        #expect(waiting.reason == .network && TransferSnapshot(world.machine.record).attemptsLeft == nil)
        var impatient = MachineFixture.upload("POST") { $0.options.retryLimit = 0 }
        impatient.feed(.turnGranted)
        impatient.engine(.broke(.nameLookupFailed, requestLeft: false))
        #expect(impatient.state.isEnded)
    }

    @Test func failedLookupOfOneSourceTriesTheNext() {
        var world = MachineFixture.download { $0.options.mirrors = ["http://second.example.org/film.mp4"] }
        world.feed(.turnGranted)
        world.engine(.broke(.nameLookupFailed, requestLeft: false))
        #expect(world.state == .waiting(Waiting(.turn, since: world.now)))
        let next = world.feed(.turnGranted).exchange?.url
        #expect(next == "http://second.example.org/film.mp4")
        world.engine(.broke(.nameLookupFailed, requestLeft: false))
        guard case .waiting(let waiting) = world.state else { return #expect(Bool(false), "\(world.state)") }
        #expect(waiting.reason == .network && world.facts.failuresInARow == 0)
        #expect(world.facts.download.mirrors?.places.allSatisfy { $0.failures == 0 } == true)
    }
}
