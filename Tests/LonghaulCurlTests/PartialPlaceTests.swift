import Glibc
import LonghaulCore
import TestSupport
import Testing

/// Other file types at the path of a partial file.
@Suite(.onEachTransport) struct PartialPlaceTests {
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

    @Test func missingDirectoryIsReportedAsUnwritable() throws {
        let world = try World(["/f": Route(.file(Content(seed: 3, length: 10)))])
        var plan = world.download("/f")
        plan.sink = .partial(PartialPlan(path: world.directory.path("gone/f.part"), resume: nil, digests: []))
        let outcome = try world.exchange(plan)
        #expect(outcome.failure?.code == .destinationUnwritable && outcome.disposition == .none)
    }
}
