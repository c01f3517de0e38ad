import Glibc
import LonghaulCore
import Synchronization
import TestSupport
import Testing

@testable import LonghaulFiles

/// The last report of the writer's thread.
private final class Ending: Sendable {
    let end = Mutex<PartialFile.End?>(nil)
}

/// Portions of any size form one file.
@Suite struct PieceWriterTests {
    private let directory: TemporaryDirectory

    init() throws { directory = try TemporaryDirectory() }

    /// Writes all bytes after `start`, and waits for the writer's end.
    private func write(
        _ content: [UInt8], from start: Int, as name: String, direct: Bool, digests: Set<Digest.Algorithm> = [],
        onRoom: @escaping @Sendable () -> Void = {}, _ feed: (PieceWriter, [UInt8]) -> Void
    ) throws -> PartialFile.End {
        let target = PartialTarget(path: directory.path(name), start: Int64(start), digests: digests)
        try directory.write(Array(content.prefix(start)), to: name)
        try target.open(missing: nil)
        target.mayBeDirect = direct
        let ending = Ending()
        let made = PieceWriter(
            target: target, budget: WriterBudget(limit: 1), memory: DigestMemory(), onRoom: onRoom,
            onEnd: { result in ending.end.withLock { $0 = result } })
        let writer = try #require(made)
        feed(writer, Array(content.dropFirst(start)))
        writer.end()
        writer.join()
        return try #require(ending.end.withLock { $0 })
    }

    @Test(arguments: [0, 1, 4_096, 5_000], [false, true])
    func portionsOfAnySizeMakeTheFile(start: Int, direct: Bool) throws {
        var chance = SeededChance(seed: UInt64(start) + 1)
        let content = Content(seed: 7, length: 30 << 20).bytes()
        let end = try write(content, from: start, as: "file", direct: direct) { writer, bytes in
            var rest = bytes[...]
            while !rest.isEmpty {
                let count = min(rest.count, Int(chance.next() % 3_000_000) + 1)
                let portion = Array(rest.prefix(count))
                // A refused portion is repeated when there is room.
                while !portion.withUnsafeBytes({ writer.append($0) }) { sched_yield() }
                rest = rest.dropFirst(count)
            }
        }
        #expect(end.failure == nil && end.length == Int64(content.count))
        #expect(try directory.read("file") == content)
    }

    /// As from a slow network: no bytes stay in memory until a piece is full.
    @Test func writerHandsOnPiecesEarly() throws {
        let content = Content(seed: 8, length: 3 << 20 | 777).bytes()
        let end = try write(content, from: 100, as: "file", direct: true) { writer, bytes in
            #expect(bytes.withUnsafeBytes { writer.append($0) })
            let whole = (100 + bytes.count) / 4_096 * 4_096
            while writer.writtenLength < Int64(whole) { sched_yield() }
            #expect(writer.writtenLength == Int64(whole))
        }
        #expect(end.length == Int64(content.count))
        #expect(try directory.read("file") == content)
    }

    /// A refused portion is not offered again until the writer reports room.
    @Test func writerReportsRoomAfterRefusal() throws {
        let content = Content(seed: 9, length: 60 << 20).bytes()
        let calls = Atomic(0)
        // Digests make the writer slower than its caller.
        let end = try write(
            content, from: 0, as: "file", direct: false, digests: [.md5, .sha256, .sha512],
            onRoom: { calls.add(1, ordering: .relaxed) }
        ) { writer, bytes in
            var rest = bytes[...]
            while !rest.isEmpty {
                let portion = Array(rest.prefix(500_000))
                if !portion.withUnsafeBytes({ writer.append($0) }) {
                    let known = calls.load(ordering: .relaxed)
                    if writer.awaitRoom(for: portion.count) {
                        while calls.load(ordering: .relaxed) == known { sched_yield() }
                    }
                    #expect(portion.withUnsafeBytes { writer.append($0) })
                }
                rest = rest.dropFirst(portion.count)
            }
        }
        #expect(end.length == Int64(content.count))
        #expect(try directory.read("file") == content)
    }

    @Test func aWriterHasMoreMemoryWhileThereAreFew() {
        let budget = WriterBudget(limit: 6)
        #expect((0..<7).map { _ in budget.allot() } == [8, 2, 2, 2, 1, 1, nil])
        budget.giveBack()
        #expect(budget.allot() == 1)
    }
}
