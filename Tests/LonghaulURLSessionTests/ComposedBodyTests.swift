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
