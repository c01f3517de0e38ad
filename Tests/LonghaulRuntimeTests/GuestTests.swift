import LonghaulCore
import TestSupport
import Testing

@testable import LonghaulRuntime

/// The one place more, as the loop gives and takes it.
@Suite struct GuestTests {
    private func submit(_ world: LoopWorld, _ count: Int) throws -> [TransferID] {
        try (0..<count).map { number in
            try world.accept(
                LoopWorld.download { spec in
                    spec.url = "http://a.test/\(number)"
                    spec.work = .download(DownloadSpec(directory: "/out", fileName: "\(number)"))
                })
        }
    }

    /// Lets the newest downloads find no partial file, and begin.
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

    @Test func whatIsSmallDoesNotWaitForWhatIsLarge() throws {
        let world = try LoopWorld()
        let ids = try submit(world, 9)
        begin(world)
        world.pass(.seconds(59), steps: 12)
        #expect(world.engine.runningJobs.count == 6)
        world.pass(.seconds(6), steps: 2)
        begin(world)
        #expect(world.runningURLs.count == 7 && world.runningURLs.contains("http://a.test/6"))
        #expect(world.loop.state.snapshot(of: try world.record(ids[7])).turnLimit == .host)
        // It ends, and the next one comes at once.
        world.control(.cancel, ids[6])
        world.turn()
        begin(world)
        #expect(world.runningURLs.contains("http://a.test/7"))
        // Whoever sets a limit means it.
        _ = world.ask(.setLimits(SessionLimits(perHost: 7)))
        world.control(.cancel, ids[7])
        world.turn()
        world.pass(.seconds(300), steps: 20)
        begin(world)
        #expect(world.runningURLs.count == 7)
    }

    @Test func aGuestThatIsLargeLeavesOnceAndComesBack() throws {
        let world = try LoopWorld()
        let ids = try submit(world, 9)
        begin(world)
        world.pass(.seconds(65), steps: 13)
        begin(world)
        let guest = try ticket(world, "http://a.test/6")
        world.engine.setAnswersCancels(false)
        world.engine.emit(guest, .receiving(head))
        world.engine.setProgress(ExchangeProgress(sent: 0, received: 400_000), of: guest)
        world.pass(.seconds(50), steps: 10)
        #expect(!world.engine.cancelled.contains(guest))
        world.pass(.seconds(10), steps: 2)
        #expect(world.engine.cancelled.contains(guest))
        world.engine.emit(
            guest,
            .exchangeEnded(
                ExchangeOutcome(ending: .cancelled, disposition: .written(length: 400_000, isComplete: false))))
        world.turn()
        begin(world)
        #expect(world.runningURLs.contains("http://a.test/7") && world.runningURLs.count == 7)
        // It is the next one for a usual place, and goes on from where it is.
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
    func whatWouldLoseItsBytesStays(_ field: (name: String, value: String)) throws {
        let world = try LoopWorld()
        _ = try submit(world, 8)
        begin(world)
        world.pass(.seconds(65), steps: 13)
        begin(world)
        let guest = try ticket(world, "http://a.test/6")
        var head = head
        head.headers.removeAll { $0.name == field.name }
        head.headers.append(HeaderField(field.name, field.value))
        world.engine.emit(guest, .receiving(head))
        world.pass(.seconds(300), steps: 60)
        #expect(!world.engine.cancelled.contains(guest) && world.runningURLs.count == 7)
    }

    @Test func oneMoreRunsInAll() throws {
        let world = try LoopWorld()
        let ids = try (0..<18).map { try world.accept(LoopWorld.request("http://h\($0).test/")) }
        #expect(world.engine.runningJobs.count == 16)
        world.pass(.seconds(65), steps: 13)
        #expect(world.engine.runningJobs.count == 17)
        #expect(world.loop.state.snapshot(of: try world.record(ids[17])).turnLimit == .total)
    }
}
