import Glibc
import LonghaulCore
import TestSupport
import Testing

/// Small bodies without a file until they are placed.
@Suite(.tags(.libcurl, .directPath), .onEachTransport) struct HeldBodyTests {
    static let content = Content(seed: 17, length: 16 << 10)

    private func plan(
        _ world: World, _ name: String = "f.bin", directory: String? = nil, partial: String = "file.part",
        length: Int64? = content.length, digests: [Digest] = [], number: Int = 17
    ) -> FileWork {
        .place(
            PlacePlan(
                id: TransferID(high: 1, low: UInt64(number)), partialPath: world.directory.path(partial),
                directory: directory ?? world.directory.path,
                fileName: name, collision: .number, length: length, digests: digests))
    }

    private func download(_ world: World, _ path: String = "/f", partial: String = "file.part") -> ExchangePlan {
        var plan = world.download(path)
        plan.sink = .partial(
            PartialPlan(path: world.directory.path(partial), resume: nil, digests: [], mayBeHeld: true))
        return plan
    }

    private func placed(_ event: EngineEvent) throws -> Result<String, TransferFailure> {
        guard case .placed(let result) = event else { throw Unexpected() }
        return result.map(\.path)
    }

    private func hold(_ world: World, _ content: Content = content) throws {
        #expect(try world.exchange(download(world)).disposition == .held(length: content.length))
    }

    @Test func itsFileIsMadeWhenItIsPlaced() throws {
        let world = try World(["/f": Route(.file(Self.content))])
        try hold(world)
        #expect(world.directory.names() == [])
        #expect(try placed(world.run(plan(world))) == .success(world.directory.path("f.bin")))
        #expect(try world.directory.read("f.bin") == Self.content.bytes())
        #expect(world.directory.names() == ["f.bin"])
        try world.directory.write([], to: "ordinary")
        var (status, ordinary) = (stat(), stat())
        #expect(stat(world.directory.path("f.bin"), &status) == 0)
        #expect(stat(world.directory.path("ordinary"), &ordinary) == 0 && status.st_mode == ordinary.st_mode)
    }

    @Test func anEmptyBodyIsAFileToo() throws {
        let world = try World(["/f": Route(.file(Content(seed: 1, length: 0)))])
        try hold(world, Content(seed: 1, length: 0))
        #expect(try placed(world.run(plan(world, length: 0))) == .success(world.directory.path("f.bin")))
        #expect(try world.directory.read("f.bin") == [])
    }

    @Test func afterADeathBeforeTheRecordItIsFoundUnderItsName() throws {
        let world = try World(["/f": Route(.file(Self.content))])
        try world.directory.write([1], to: "f.bin")
        try hold(world)
        let first = try placed(world.run(plan(world)))
        // Nothing was recorded, so the next life requests all of it again.
        try hold(world)
        #expect(try placed(world.run(plan(world))) == first)
        #expect(first == .success(world.directory.path("f (1).bin")))
        #expect(world.directory.names() == ["f (1).bin", "f.bin"])
    }

    @Test func theSameHoldsWhenItIsWrittenAtTheEndOfItsExchange() throws {
        let world = try World(["/f": Route(.file(Self.content))])
        try hold(world)
        let first = try placed(world.run(plan(world)))
        let outcome = try world.exchange(world.download("/f"))
        #expect(outcome.disposition == .written(length: Self.content.length, isComplete: true))
        #expect(try placed(world.run(plan(world))) == first)
        #expect(world.directory.names() == ["f.bin", "file.part"])
    }

    @Test func earlierPartialFileIsReplaced() throws {
        let world = try World(["/f": Route(.file(Self.content))])
        for old in [Content(seed: 2, length: 100_000), Content(seed: 3, length: Self.content.length)] {
            try world.directory.write(old, to: "file.part")
            try hold(world)
            let name = try placed(world.run(plan(world, "\(old.length).bin"))).get()
            #expect(name == world.directory.path("\(old.length).bin"))
            #expect(try world.directory.read("\(old.length).bin") == Self.content.bytes())
            _ = try world.run(.discard([world.partial]))
        }
    }

    @Test func differentVersionIsPlacedUnderNewName() throws {
        let other = Content(seed: 4, length: Self.content.length)
        let world = try World(["/f": Route(.file(Self.content)), "/g": Route(.file(other))])
        try hold(world)
        _ = try world.run(plan(world))
        #expect(try world.exchange(download(world, "/g")).disposition == .held(length: other.length))
        #expect(try placed(world.run(plan(world))) == .success(world.directory.path("f (1).bin")))
        #expect(try world.directory.read("f.bin") == Self.content.bytes())
        #expect(try world.directory.read("f (1).bin") == other.bytes())
    }

    @Test func itsDigestsAreThoseOfItsBytes() throws {
        let world = try World(["/f": Route(.file(Self.content))])
        let right = try digest(of: Self.content, .sha256)
        var wrong = right
        wrong.bytes[0] ^= 1
        try hold(world)
        guard case .failure(let failure) = try placed(world.run(plan(world, digests: [wrong]))) else {
            throw Unexpected()
        }
        #expect(failure.code == .digestMismatch && world.directory.names() == [])
        try hold(world)
        #expect(try placed(world.run(plan(world, digests: [right]))) == .success(world.directory.path("f.bin")))
    }

    @Test func discardedBodyIsForgotten() throws {
        let world = try World(["/f": Route(.file(Self.content))])
        try hold(world)
        _ = try world.run(.discard([world.partial]))
        guard case .failure(let failure) = try placed(world.run(plan(world))) else { throw Unexpected() }
        #expect(failure.code == .fileFailed && world.directory.names() == [])
    }

    @Test func bodiesBeyondMemoryLimitAreWritten() throws {
        let large = Content(seed: 5, length: 250_000)
        let world = try World(["/f": Route(.file(large))])
        var held = 0
        for number in 0..<40 {
            switch try world.exchange(download(world, partial: "\(number).part")).disposition {
            case .held: held += 1
            case .written(large.length, true): #expect(world.directory.exists("\(number).part"))
            case .written, .none, .overlapDiffers, .partsDiffer, .refused: throw Unexpected()
            }
        }
        #expect(held == (8 << 20) / 250_000)
        let tickets = (0..<40).map { world.start(plan(world, partial: "\($0).part", length: large.length, number: $0)) }
        let names = try tickets.map { try placed(world.ending(of: $0)).get() }
        #expect(Set(names).count == 40)
        for name in names {
            #expect(try world.directory.read(String(name.dropFirst(world.directory.path.count + 1))) == large.bytes())
        }
        // A placed body frees its memory a moment after its end was reported.
        let deadline = ContinuousClock.now + .patience
        var last = try world.exchange(download(world)).disposition
        while last != .held(length: large.length), ContinuousClock.now < deadline {
            last = try world.exchange(download(world)).disposition
        }
        #expect(last == .held(length: large.length))
    }

    @Test func manyInSeveralDirectoriesAllGetTheirNames() throws {
        let world = try World(["/f": Route(.file(Self.content))])
        for number in 0..<3 { try world.directory.makeDirectory("\(number)") }
        let tickets = try (0..<90).map { number in
            let partial = "\(number % 3)/\(number).part"
            let outcome = try world.exchange(download(world, partial: partial))
            #expect(outcome.disposition == .held(length: 16 << 10))
            return world.start(
                plan(world, directory: world.directory.path("\(number % 3)"), partial: partial, number: number))
        }
        let names = try tickets.map { try placed(world.ending(of: $0)).get() }
        #expect(Set(names).count == 90)
    }

    @Test func aDirectoryThatIsGoneIsAFailure() throws {
        let world = try World(["/f": Route(.file(Self.content))])
        #expect(try world.exchange(download(world, partial: "gone/f.part")).disposition == .held(length: 16 << 10))
        let place = plan(world, directory: world.directory.path("gone"), partial: "gone/f.part")
        guard case .failure = try placed(world.run(place)) else { throw Unexpected() }
    }
}
