import Glibc
import LonghaulCore
import TestSupport
import Testing

@Suite(.onEachTransport) struct FileJobTests {
    private func measured(_ world: World, _ name: String, in directory: String? = nil) throws -> Result<
        Int64?, TransferFailure
    > {
        let work = EngineWork.measurePartial(
            path: world.directory.path(name), directory: directory ?? world.directory.path)
        guard case .partialMeasured(let result) = try world.run(work) else { throw Unexpected() }
        return result
    }

    private func code<Success>(_ result: Result<Success, TransferFailure>) -> FailureCode? {
        guard case .failure(let failure) = result else { return nil }
        return failure.code
    }

    @Test func aPartialFileHasItsLength() throws {
        let world = try World()
        try world.directory.write([1, 2, 3], to: "a.part")
        #expect(try measured(world, "a.part").get() == 3)
        #expect(try measured(world, "b.part").get() == nil)
    }

    @Test func aPlaceThatIsNoDirectoryCannotBeWritten() throws {
        let world = try World()
        try world.directory.write([1], to: "plain")
        for place in ["absent", "plain"] {
            let result = try measured(world, "x.part", in: world.directory.path(place))
            #expect(code(result) == .destinationUnwritable)
        }
    }

    @Test func whateverIsNotARegularFileIsNotTouched() throws {
        let world = try World()
        try world.directory.makeDirectory("a.part")
        #expect(symlink("/etc/hostname", world.directory.path("b.part")) == 0)
        #expect(code(try measured(world, "a.part")) == .destinationUnwritable)
        #expect(code(try measured(world, "b.part")) == .destinationUnwritable)
    }

    @Test func aLinkInThePlaceOfThePartialFileIsNotFollowed() throws {
        let world = try World(["/f": Route(.file(Content(seed: 1, length: 1_000_000)))])
        try world.directory.write([1, 2, 3], to: "victim")
        #expect(symlink(world.directory.path("victim"), world.partial) == 0)
        #expect(try world.exchange(world.download("/f")).failure?.code == .destinationUnwritable)
        #expect(try world.directory.read("victim") == [1, 2, 3])
    }

    @Test func aFinishedFileIsNotWrittenThroughItsPartialName() throws {
        let content = Content(seed: 2, length: 1_000_000)
        let world = try World(["/f": Route(.file(content))])
        try world.directory.write([1, 2, 3], to: "finished")
        #expect(link(world.directory.path("finished"), world.partial) == 0)
        #expect(try world.exchange(world.download("/f")).ending == .responded)
        #expect(try world.directory.read("finished") == [1, 2, 3])
        #expect(try world.contentOfPartial() == content.bytes())
    }

    @Test func aDirectoryThatIsGoneIsSaidToBeUnwritable() throws {
        let world = try World(["/f": Route(.file(Content(seed: 3, length: 10)))])
        var plan = world.download("/f")
        plan.sink = .partial(PartialPlan(path: world.directory.path("gone/f.part"), resume: nil, digests: []))
        let outcome = try world.exchange(plan)
        #expect(outcome.failure?.code == .destinationUnwritable && outcome.disposition == .none)
    }

    @Test func sourcesAreLookedAtInOrder() throws {
        let world = try World()
        try world.directory.write([1, 2, 3], to: "a")
        try world.directory.makeDirectory("d")
        let paths = ["a", "absent", "d"].map(world.directory.path)
        guard case .sourcesInspected(let answers) = try world.run(.inspectSources(paths)) else { throw Unexpected() }
        #expect(try answers[0].get().size == 3)
        #expect(code(answers[1]) == .sourceMissing && code(answers[2]) == .sourceUnreadable)
    }

    @Test func discardingIsHarmlessWhenDoneTwice() throws {
        let world = try World()
        try world.directory.write([1], to: "a")
        for _ in 0..<2 {
            #expect(try world.run(.discard([world.directory.path("a")])) == .discarded(.success(())))
        }
        #expect(!world.directory.exists("a"))
    }
}
