import LonghaulCore
import TestSupport
import Testing

@testable import LonghaulRuntime

/// Overflow slots and attended transfers, as the loop starts them.
@Suite struct OverflowTests {
    private func submit(_ world: LoopWorld, _ count: Int) throws -> [TransferID] {
        try (0..<count).map { number in
            try world.accept(
                LoopWorld.download { spec in
                    spec.url = "http://a.test/\(number)"
                    spec.work = .download(DownloadSpec(directory: "/out", fileName: "\(number)"))
                })
        }
    }

    /// Reports no partial file for the newest downloads, which then start.
    private func begin(_ world: LoopWorld) {
        for job in world.engine.runningJobs {
            if case .files(.measurePartial) = job.work {
                world.engine.emit(job.ticket, .partialMeasured(.success(nil)))
            }
        }
        world.turn()
    }

    private func ticket(_ world: LoopWorld, _ url: String) throws -> Ticket {
        try #require(
            world.engine.runningJobs.first {
                if case .exchange(let plan) = $0.work { plan.url == url } else { false }
            }
        ).ticket
    }

    private let head = ResponseHead(
        status: 200,
        headers: [
            HeaderField("ETag", "\"v\""), HeaderField("Content-Length", "1000000"),
            HeaderField("Accept-Ranges", "bytes"),
        ], effectiveURL: "http://a.test/")

    @Test func smallTransferStartsBehindLargeOnes() throws {
        let world = try LoopWorld()
        let ids = try submit(world, 9)
        begin(world)
        world.pass(.milliseconds(2_900), steps: 3)
        #expect(world.engine.runningJobs.count == 6)
        world.pass(.milliseconds(200), steps: 1)
        begin(world)
        #expect(world.runningURLs.count == 7 && world.runningURLs.contains("http://a.test/6"))
        #expect(world.loop.state.snapshot(of: try world.record(ids[7])).turnLimit == .host)
        // It ends, and the next one starts at once.
        world.control(.cancel, ids[6])
        world.turn()
        begin(world)
        #expect(world.runningURLs.contains("http://a.test/7"))
        // An explicit limit has no overflow slots.
        _ = world.send(.setLimits(SessionLimits(perHost: 6)))
        world.control(.cancel, ids[7])
        world.turn()
        world.pass(.seconds(30), steps: 20)
        begin(world)
        #expect(world.runningURLs.count == 6)
    }

    @Test func largeTransferLeavesItsOverflowSlotOnce() throws {
        let world = try LoopWorld()
        let ids = try submit(world, 9)
        begin(world)
        world.pass(.seconds(4), steps: 4)
        begin(world)
        let turn = try ticket(world, "http://a.test/6")
        world.engine.setAnswersCancels(false)
        world.engine.emit(turn, .receiving(head))
        world.engine.setProgress(ExchangeProgress(sent: 0, received: 400_000), of: turn)
        world.pass(.seconds(1), steps: 1)
        #expect(!world.engine.cancelled.contains(turn))
        world.pass(.seconds(3), steps: 3)
        #expect(world.engine.cancelled.contains(turn))
        world.engine.emit(
            turn,
            .exchangeEnded(
                ExchangeOutcome(ending: .cancelled, disposition: .written(length: 400_000, isComplete: false))))
        world.turn()
        begin(world)
        #expect(world.runningURLs.contains("http://a.test/7") && world.runningURLs.count == 7)
        // It gets the next regular slot, and continues from its offset.
        for number in 0...1 {
            world.control(.cancel, ids[number])
            world.engine.emit(
                try ticket(world, "http://a.test/\(number)"),
                .exchangeEnded(ExchangeOutcome(ending: .cancelled, requestLeft: true)))
            world.turn()
        }
        #expect(try world.record(ids[6]).facts.bytesDone == 400_000)
        #expect(try world.state(ids[6]) == .running(.preparing))
    }

    @Test(arguments: [("Accept-Ranges", "none"), ("ETag", "W/\"v\"")])
    func transferThatCannotResumeStays(_ field: (name: String, value: String)) throws {
        let world = try LoopWorld()
        _ = try submit(world, 8)
        begin(world)
        world.pass(.seconds(4), steps: 4)
        begin(world)
        let turn = try ticket(world, "http://a.test/6")
        var head = head
        head.headers.removeAll { $0.name == field.name }
        head.headers.append(HeaderField(field.name, field.value))
        world.engine.emit(turn, .receiving(head))
        world.pass(.seconds(30), steps: 60)
        begin(world)
        #expect(!world.engine.cancelled.contains(turn))
        #expect(world.runningURLs.contains("http://a.test/7"), "the next turn begins in another slot")
    }

    @Test func overflowSlotExceedsTheTotal() throws {
        let world = try LoopWorld()
        let ids = try (0..<18).map { try world.accept(LoopWorld.request("http://h\($0).test/")) }
        #expect(world.engine.runningJobs.count == 16)
        world.pass(.seconds(4), steps: 4)
        #expect(world.engine.runningJobs.count == 17)
        #expect(world.loop.state.snapshot(of: try world.record(ids[17])).turnLimit == .total)
    }

    @Test func attendedTransfersStartBeyondTheLimits() throws {
        let world = try LoopWorld()
        _ = try submit(world, 9)
        _ = try world.accept(LoopWorld.request("http://a.test/now") { $0.options.isAttended = true })
        #expect(world.runningURLs.contains("http://a.test/now") && world.engine.runningJobs.count == 7)
    }

    /// The command that submits a queued transfer again joins it, and its user waits, even if the service crashes.
    @Test func joinedTransferBecomesAttended() throws {
        let temporary = try TemporaryDirectory()
        let time = ManualTime()
        var world: LoopWorld? = try LoopWorld(in: temporary, at: time)
        let ids = try submit(try #require(world), 9)
        var spec = try #require(world).record(ids[8]).spec
        world?.pass(.seconds(1))
        _ = world?.send(.setLimits(SessionLimits(total: 1, perHost: 1)))
        spec.options.isAttended = true
        spec.options.joinsEqualBefore = time.now
        #expect(world?.send(.submit([spec])) == .submitted([.existing(ids[8])]))
        #expect(world?.engine.runningJobs.count == 6, "a limit that is set holds")
        world = nil
        let next = try LoopWorld(in: temporary, at: time)
        next.turn()
        #expect(next.loop.state.turns.queue.isWaiting(ids[8]))
        _ = next.send(.setLimits(SessionLimits()))
        next.turn()
        let queue = next.loop.state.turns.queue
        #expect(queue.isRunning(ids[8]) && queue.isWaiting(ids[7]), "it goes first")
    }

    @Test func retryByNameStartsAFewNow() throws {
        let world = try LoopWorld()
        _ = world.send(.setLimits(SessionLimits(total: 1, perHost: 1)))
        let ids = try submit(world, 9)
        #expect(world.engine.runningJobs.count == 1)
        #expect(world.send(.control(.retry, .all)) != nil)
        #expect(world.engine.runningJobs.count == 1, "all of them wait on")
        world.control(.retry, ids[3])
        #expect(world.engine.runningJobs.count == 2)
        _ = world.send(.control(.retry, .ids(Array(ids[4...]))))
        #expect(world.engine.runningJobs.count == 2 + TransferOptions.mostAttended)
    }
}
