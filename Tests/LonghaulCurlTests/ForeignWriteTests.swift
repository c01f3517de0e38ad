import Glibc
import LonghaulCore
import LonghaulCurl
import TestSupport
import Testing

/// Partial files to which another program writes.
@Suite(.onEachPath) struct ForeignWriteTests {
    private static let content = Content(seed: 65, length: 8_000_000)

    @Test func downloadFailsIfItsPartialFileIsTruncated() throws {
        let latch = Latch()
        // On each path the engine writes whole pieces and blocks before the rest arrives.
        let begun: Int64 = 5 << 20
        let world = try World(["/f": Route(.file(Self.content).stalled(after: begun + 1, by: latch))])
        var plan = world.download("/f")
        plan.network.timeoutIntervalForRequest = .zero
        let ticket = world.start(.exchange(plan))
        world.waitUntilReceived(begun + 1, ticket)
        // A write in progress would hide the change: the engine records the file as that write leaves it.
        #expect(try world.waitUntilWritten(begun) == begun)
        #expect(truncate(world.partial, 1_000) == 0)
        latch.open()
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
        // No download resumes from another program's bytes.
        #expect(try world.contentOfPartial().isEmpty)
    }
}
