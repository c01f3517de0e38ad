import Foundation
import FoundationDouble
import LonghaulCore
import LonghaulSystem
import Synchronization
import TestSupport
import Testing

@testable import LonghaulURLSession

/// Bodies that the engine assembles, and resume data that it keeps.
extension AppleSystems {
    @Suite struct ComposedBodyTests {
        /// `portion`: after how many portions of the copy the source changes.
        @Test(arguments: [1, 2]) func sourceThatChangesMeanwhileIsNotSent(_ portion: Int) throws {
            let temporary = try TemporaryDirectory()
            let (file, target) = (temporary.path("photo"), temporary.path("body"))
            try Data(count: 2 << 20).write(to: URL(fileURLWithPath: file))
            let source = SourceFile(path: file, pin: SourcePin(try FileStatus(of: file)))
            let body = BodyPlan(
                segments: [.bytes([1, 2]), .file(source, offset: 0, length: 2 << 20)], length: 2 + 2 << 20,
                holdsLastBytes: true)
            let portions = Mutex(0)
            let failure = #expect(throws: TransferFailure.self) {
                try BodyFile.make(body, at: target) {
                    if portions.withLock({
                        $0 += 1; return $0
                    }) == portion {
                        let change = try? FileHandle(forUpdating: URL(fileURLWithPath: file))
                        change?.write(Data([7]))
                        try? change?.close()
                    }
                    return true
                }
            }
            #expect(failure?.code == .sourceChanged && portions.withLock { $0 } == 2)
            #expect(!FileManager.default.fileExists(atPath: target))
        }

        @Test(.enabled(if: SmallVolume.missing == nil)) func bodyNeedsTwiceItsSpace() throws {
            let temporary = try TemporaryDirectory()
            let volume = try SmallVolume(.tmpfs, in: temporary, "small", bytes: 1 << 20)
            for (count, code) in [(400_000, nil), (600_000, FailureCode.diskFull)] {
                let target = volume.path + "/body"
                let body = BodyPlan(
                    segments: [.bytes([UInt8](repeating: 7, count: count))], length: Int64(count), holdsLastBytes: true)
                do throws(TransferFailure) {
                    #expect(try BodyFile.make(body, at: target) { true } == target && code == nil)
                } catch {
                    #expect(error.code == code)
                }
                #expect(FileManager.default.fileExists(atPath: target) == (code == nil))
                _ = try? FileManager.default.removeItem(atPath: target)
            }
        }

        /// The whole file is read in place, and its rest is copied: up to the limit, and the next attempt sends the next bytes.
        @Test(arguments: [(0, 300_000), (100_000, 50_000), (260_000, 40_000)])
        func resumedUploadCopiesUpToItsLimit(_ offset: Int, _ expected: Int) async throws {
            let world = try SystemWorld(lane: .front, isLaunched: false)
            let ends = Mutex<[ExchangeOutcome]>([])
            let engine = try SystemEngine(
                BackgroundSessionOptions(identifier: SystemWorld.identifier), directory: world.temporary.path("notes"),
                sessions: SystemSessions(), copyLimit: 50_000
            ) { events in
                for case (_, .exchangeEnded(let outcome)) in events { ends.withLock { $0.append(outcome) } }
            }
            guard case .upload(.raw(let source)) = try world.upload("PATCH", 300_000).work else { throw Unexpected() }
            let rest = Int64(300_000 - offset)
            let plan = ExchangePlan(
                method: "PATCH", url: "http://server.example/a", headers: [HeaderField("Tus-Resumable", "1.0.0")],
                body: BodyPlan(
                    segments: [.file(source, offset: Int64(offset), length: rest)], length: rest, holdsLastBytes: false),
                sink: .memory(limit: 10), network: CopyOnWrite(NetworkOptions()), followsOnlyRepeatingRedirects: true)
            engine.start(plan, as: Ticket(1), named: ExchangeID(transfer: TransferID(high: 1, low: 2), attempt: 1))
            try await world.go("it ends") { ends.withLock { !$0.isEmpty } }
            let content = try #require(FileManager.default.contents(atPath: source.path))
            #expect(world.device.network.requests.map(\.body) == [content[offset..<(offset + expected)]])
            #expect(ends.withLock { $0.map(\.bytesSent) } == [Int64(expected)])
            engine.shutDown()
            world.end()
        }

        /// The system may have removed the files to which older resume data refers.
        @Test func resumeDataOfMoreThanAWeekIsDeleted() async throws {
            let world = try SystemWorld()
            let ids = [TransferID(high: 1, low: 6), TransferID(high: 1, low: 8)]
            let notes = try ExchangeNotes(world.layout.directory + "/exchanges")
            for (id, days) in zip(ids, [6.9, 7.1]) {
                notes.keep(token: Data([1]), url: "http://server.example/", of: id)
                try FileManager.default.setAttributes(
                    [.modificationDate: Date(timeIntervalSinceNow: -days * 86_400)],
                    ofItemAtPath: "\(notes.directory)/\(id).token")
            }
            world.die()
            try world.launch()
            #expect(ids.map(notes.hasToken) == [true, false])
            world.end()
        }
    }
}
