import Testing

@testable import LonghaulCore

/// A part may be shorter than requested (RFC 9110, section 15.3.7): a complete part does not mean a complete file.
@Suite struct ShortPartTests {
    private func part(_ range: String) -> ResponseHead {
        .ok(206, [HeaderField("Content-Range", "bytes " + range), HeaderField("ETag", "\"one\"")])
    }

    private func ended(_ head: ResponseHead, at length: Int64) -> EngineEvent {
        .exchangeEnded(
            ExchangeOutcome(
                ending: .responded, head: head, disposition: .written(length: length, isComplete: true)))
    }

    /// Returns a download that was interrupted after 400 bytes, and requests the rest. `total` is from the first response.
    private func resuming(total: Int64?) -> MachineFixture {
        var world = MachineFixture.download()
        world.feed(.turnGranted)
        world.engine(.receiving(.file()))
        world.machine.record.facts.download.validators?.total = total
        world.engine(.written(400, complete: false))
        world.now = world.now + .seconds(600)
        world.feed(.due)
        world.feed(.turnGranted)
        world.engine(.partialMeasured(.success(400)))
        return world
    }

    @Test(arguments: [(1_000, "0-699/1000"), (1_000, "0-699/*"), (nil, "0-699/1000")] as [(Int64?, String)])
    func shortPartIsContinued(total: Int64?, range: String) throws {
        var world = resuming(total: total)
        world.engine(.receiving(part(range)))
        let next = try #require(world.engine(ended(part(range), at: 700)).exchange)
        guard case .partial(let plan) = next.sink else { return #expect(Bool(false)) }
        #expect(plan.resume?.length == 700 && world.facts.bytesDone == 700)
        #expect(next.headers.single("If-Range") == "\"one\"" && world.state == .running(.preparing))
        world.engine(.receiving(part("0-999/1000")))
        #expect(world.engine(ended(part("0-999/1000"), at: 1_000)).placement?.length == 1_000)
        #expect(world.facts.attempts == 2 && world.facts.restarts == 0)
    }

    @Test func aShortPartThatWasNotAnnouncedBecauseItIsSmallIsNotTheFile() throws {
        var world = resuming(total: nil)
        let next = try #require(world.engine(ended(part("0-699/1000"), at: 700)).exchange)
        #expect(next.headers.single("Range") == "bytes=0-" && world.facts.bytesTotal == 1_000)
    }

    @Test func unknownTotalRequestsTheRest() throws {
        var world = resuming(total: nil)
        world.engine(.receiving(part("0-699/*")))
        let next = try #require(world.engine(ended(part("0-699/*"), at: 700)).exchange)
        #expect(next.headers.single("Range") == "bytes=700-")
        let placement = try #require(world.engine(.refused(.alreadyComplete)).placement)
        #expect(placement.length == 700)
    }
}
