import Glibc
import LonghaulCore
import LonghaulCurl
import TestSupport
import Testing

/// Partial files that somebody else writes to.
@Suite(.onEachPath) struct ForeignWriteTests {
    private static let content = Content(seed: 65, length: 8_000_000)

    @Test func aPartialFileThatIsCutShortMeanwhileIsNoSuccess() throws {
        let gate = Gate()
        let world = try World(["/f": Route(.file(Self.content).stalled(after: 5_000_000, by: gate))])
        let ticket = world.start(.exchange(world.download("/f")))
        try gate.waitForArrivals()
        // A write under way would hide the change: the file is noted as that write leaves it.
        world.waitUntilWritingRests(4_000_000)
        #expect(truncate(world.partial, 1_000) == 0)
        gate.open()
        let outcome = try world.outcome(of: ticket)
        #expect(outcome.failure?.code == .fileFailed)
        #expect(outcome.disposition == .written(length: 0, isComplete: false))
        #expect(try world.contentOfPartial().isEmpty)
    }

    @Test func aPartialFileThatIsOverwrittenBeforeItIsPlacedIsNoSuccess() throws {
        let world = try World(["/f": Route(.file(Self.content))])
        #expect(try world.exchange(world.download("/f")).ending == .responded)
        try world.overwrite("file.part", at: 5_000_000)
        let place = PlacePlan(
            id: TransferID(high: 1, low: 65), partialPath: world.partial, directory: world.directory.path,
            fileName: "f", collision: .fail, length: Self.content.length, digests: [])
        guard case .placed(.failure(let failure)) = try world.run(.place(place)) else { throw Unexpected() }
        #expect(failure.code == .fileFailed && !world.directory.exists("f"))
        // Nothing is built on bytes of somebody else.
        #expect(try world.contentOfPartial().isEmpty)
    }
}
