import Foundation
import FoundationDouble
import LonghaulCore
import LonghaulSystem
import Synchronization
import TestSupport
import Testing

@testable import LonghaulURLSession

/// The file of a download that this process receives.
@Suite struct ArrivingFileTests {
    private let temporary: TemporaryDirectory
    private let answers = Answers()

    private final class Answers: Sendable {
        let given = Mutex<[URLSession.ResponseDisposition]>([])
    }

    init() throws { temporary = try TemporaryDirectory() }

    private static let tag = "\"1\""

    private static func head(_ status: Int, _ headers: [String: String] = [:]) -> ResponseHead {
        let headers = headers.merging(["ETag": tag]) { first, _ in first }.map { HeaderField($0.key, $0.value) }
        return ResponseHead(status: status, headers: headers, effectiveURL: "http://server.example/film")
    }

    private var path: String { temporary.path("film.part") }
    private var content: [UInt8]? { FileManager.default.contents(atPath: path).map(Array.init) }

    /// `kept`: bytes that an earlier attempt has left, the last two of which are compared.
    private func file(after kept: [UInt8] = [], interval: Int64 = 1 << 20) throws -> ArrivingFile {
        try Data(kept).write(to: URL(fileURLWithPath: path))
        let validators = Validators(entityTag: Self.tag, lastModified: nil, isSoft: false, total: 8)
        let point = ResumePoint(length: Int64(kept.count), overlap: 2, validators: validators)
        let plan = PartialPlan(
            path: path, resume: kept.isEmpty ? nil : point, digests: [], checkpointInterval: interval)
        return ArrivingFile(plan, limit: 4)
    }

    private func receive(_ head: ResponseHead, _ file: ArrivingFile) -> (
        events: [EngineEvent], decision: URLSession.ResponseDisposition?
    ) {
        file.receive(head) { [answers] answer in answers.given.withLock { $0.append(answer) } }
    }

    private func end(_ file: ArrivingFile, _ code: Int? = nil, isCancelled: Bool = false) -> ExchangeOutcome {
        file.end(
            code.map { NSError(domain: NSURLErrorDomain, code: $0) }, isCancelled: isCancelled, requestLeft: true,
            bytesReceived: 0)
    }

    private static let rest = ["Content-Range": "bytes 2-7/8", "Content-Length": "6"]

    @Test func bytesAreInTheFileWhenTheyArrive() throws {
        let file = try file(interval: 3)
        let head = Self.head(200, ["Content-Length": "5"])
        let (events, decision) = receive(head, file)
        #expect(events == [.receiving(head)] && decision == .allow)
        #expect(file.receive(Data([1, 2])).events == [] && content == [1, 2] && file.received == 2)
        #expect(file.receive(Data([3, 4])).events == [.checkpoint(4)])
        let outcome = end(file, -1005)
        #expect(outcome.disposition == .written(length: 4, isComplete: false) && outcome.head == head)
        guard case .broke(let failure) = outcome.ending else { throw Unexpected() }
        #expect(failure.code == .connectionLost && content == [1, 2, 3, 4])
    }

    @Test func restIsComparedThenAppended() throws {
        let file = try file(after: [1, 2, 3, 4])
        let head = Self.head(206, Self.rest)
        #expect(receive(head, file).events == [])
        #expect(file.receive(Data([3])).events == [])
        #expect(file.receive(Data([4, 5, 6])).events == [.receiving(head)] && content == [1, 2, 3, 4, 5, 6])
        _ = file.receive(Data([7, 8]))
        #expect(end(file).disposition == .written(length: 8, isComplete: true) && content?.count == 8)
    }

    @Test func otherOverlapKeepsTheFile() throws {
        let file = try file(after: [1, 2, 3, 4])
        _ = receive(Self.head(206, Self.rest), file)
        let (events, isOver) = file.receive(Data([3, 9, 5, 6]))
        #expect(events == [] && isOver && content == [1, 2, 3, 4])
        let outcome = end(file, -999)
        #expect(outcome.ending == .responded && outcome.disposition == .overlapDiffers)
    }

    @Test func unfinishedOverlapReportsNothing() throws {
        let file = try file(after: [1, 2, 3, 4])
        _ = receive(Self.head(206, Self.rest), file)
        _ = file.receive(Data([3]))
        let outcome = end(file, -999, isCancelled: true)
        #expect(outcome.ending == .cancelled && outcome.disposition == .none && content == [1, 2, 3, 4])
    }

    @Test(arguments: [false, true]) func wholeBodyWaitsForTheLoop(_ isBeside: Bool) throws {
        let file = try file(after: [1, 2, 3, 4])
        let head = Self.head(200, ["Content-Length": "3", "ETag": "\"2\""])
        let (events, decision) = receive(head, file)
        #expect(events == [.head(head)] && decision == nil && answers.given.withLock { $0.isEmpty })
        let other = temporary.path("film.other")
        file.writeFromStart(of: isBeside ? other : nil) { events in
            #expect(events == [.receiving(head)] && answers.given.withLock { $0.isEmpty })
        }
        #expect(answers.given.withLock { $0 } == [.allow])
        _ = file.receive(Data([7, 8, 9]))
        #expect(end(file).disposition == .written(length: 3, isComplete: true))
        #expect(content == (isBeside ? [1, 2, 3, 4] : [7, 8, 9]))
        #expect(FileManager.default.contents(atPath: other) == (isBeside ? Data([7, 8, 9]) : nil))
    }

    @Test func heldBodyIsRefusedWhenStopped() throws {
        let file = try file(after: [1, 2, 3, 4])
        _ = receive(Self.head(200, ["Content-Length": "3"]), file)
        file.abandon()
        file.abandon()
        #expect(answers.given.withLock { $0 } == [.cancel])
        #expect(end(file, -999, isCancelled: true).ending == .cancelled && content == [1, 2, 3, 4])
    }

    @Test func refusalKeepsTheStartOfItsBody() throws {
        let file = try file(after: [1, 2, 3, 4])
        #expect(receive(Self.head(404), file).decision == .allow)
        #expect(!file.receive(Data([1, 2, 3])).isOver)
        #expect(file.receive(Data([4, 5])).isOver)
        let outcome = end(file, -999)
        #expect(outcome.ending == .responded && outcome.disposition == .refused(.status))
        #expect(outcome.body == [1, 2, 3, 4] && outcome.isBodyTruncated && content == [1, 2, 3, 4])
    }

    @Test func shortBodyIsAFailure() throws {
        let file = try file()
        _ = receive(Self.head(200, ["Content-Length": "5"]), file)
        _ = file.receive(Data([1, 2]))
        let outcome = end(file)
        guard case .broke(let failure) = outcome.ending else { throw Unexpected() }
        #expect(failure.code == .lengthMismatch && outcome.disposition == .written(length: 2, isComplete: false))
    }

    @Test(.enabled(if: SmallVolume.missing == nil, "needs a file system of its size"))
    func fullDiskKeepsWhatFits() throws {
        let volume = try SmallVolume(.tmpfs, in: temporary, "volume", bytes: 256 << 10)
        let plan = PartialPlan(path: volume.path + "/film.part", resume: nil, digests: [])
        let file = ArrivingFile(plan, limit: 4)
        // Its length is unknown, so that the space cannot be checked before the first byte.
        #expect(receive(Self.head(200), file).decision == .allow)
        var isOver = false
        for _ in 0..<6 where !isOver { isOver = file.receive(Data(count: 64 << 10)).isOver }
        let outcome = end(file, -999)
        guard case .broke(let failure) = outcome.ending, case .written(let length, false) = outcome.disposition
        else { throw Unexpected() }
        #expect(isOver && failure.code == .diskFull && length > 0)
        #expect(try FileStatus(of: plan.path).size == length)
    }
}

/// A downloaded file of the background session, with the destination on another volume.
@Suite(.enabled(if: SmallVolume.missing == nil, "needs a file system of its size")) struct OtherVolumeTests {
    private let temporary: TemporaryDirectory
    private let volume: SmallVolume
    private let content = Data((0..<200_000).map { UInt8(truncatingIfNeeded: $0) })

    init() throws {
        temporary = try TemporaryDirectory()
        volume = try SmallVolume(.tmpfs, in: temporary, "volume", bytes: 1 << 20)
    }

    private func evaluate() throws -> ExchangeOutcome {
        try content.write(to: URL(fileURLWithPath: temporary.path("arrival")))
        let plan = PartialPlan(path: volume.path + "/film.part", resume: nil, digests: [])
        var note = ExchangeNote(
            ExchangePlan(
                method: "GET", url: "http://server.example/film", headers: [], body: nil, sink: .partial(plan),
                network: CopyOnWrite(NetworkOptions()), followsOnlyRepeatingRedirects: false))
        note.head = ResponseHead(
            status: 200, headers: [HeaderField("Content-Length", "\(content.count)")],
            effectiveURL: "http://server.example/film")
        guard case .ended(let outcome) = ArrivedFile.evaluate(temporary.path("arrival"), note, mayRestart: false)
        else { throw Unexpected() }
        return outcome
    }

    @Test func fileOnAnotherVolumeIsCopied() throws {
        let outcome = try evaluate()
        #expect(outcome.disposition == .written(length: Int64(content.count), isComplete: true))
        #expect(FileManager.default.contents(atPath: volume.path + "/film.part") == content)
    }

    @Test func fullVolumeIsReportedAsSuch() throws {
        try volume.fillUp()
        guard case .broke(let failure) = try evaluate().ending else { throw Unexpected() }
        #expect(failure.code == .diskFull, "\(failure)")
    }
}

extension AppleSystems {
    /// Downloads in the foreground session.
    @Suite struct ForegroundDownloadTests {
        private static let overlap: Int64 = 4_096

        /// Starts a download, and returns when this many of its bytes are in the partial file.
        private static func begin(_ world: SystemWorld, until count: Int64) async throws -> TransferID {
            let film = try await world.submit(world.download())
            let part = world.temporary.path(PartialName.make(film))
            try await world.tasks(1)
            try await world.go("bytes arrive") { world.device.network.bytesReceived >= count }
            try await world.wait("they are in the file") {
                count == 0 || (try? FileStatus(of: part).size) == world.device.network.bytesReceived
            }
            return film
        }

        @Test func crashLosesNoReceivedByte() async throws {
            let world = try SystemWorld(lane: .front)
            let film = try await Self.begin(world, until: 196_608)
            try await world.wait("its version is known") { try await world.state(film) == .running(.receiving) }
            world.die()
            try world.comeBack()
            try await world.go("it ends") { try await world.state(film) == .succeeded }
            #expect(world.file() == SystemWorld.content)
            #expect(world.device.network.bytesReceived == Int64(SystemWorld.content.count) + Self.overlap)
            world.end()
        }

        @Test(arguments: [0, 65_536, 262_144])
        func leavingContinuesFromTheFile(_ count: Int64) async throws {
            let world = try SystemWorld(lane: .front)
            let film = try await Self.begin(world, until: count)
            if count > 0 {
                try await world.wait("its version is known") { try await world.state(film) == .running(.receiving) }
            }
            try await world.leaveToSystem()
            try await world.wait("the system has it") { world.device.unfinished(inBackground: true) == 1 }
            #expect(world.engine?.movedInVain[film] ?? 0 == (count == 0 ? 0 : Self.overlap))
            world.die()
            try await world.go("the app is started") {
                world.device.launches.count == 1 && world.device.openHandlers == 0
            }
            try await world.go("it ends") { try await world.state(film) == .succeeded }
            #expect(world.file() == SystemWorld.content)
            let repeated = count == 0 ? 0 : Self.overlap
            #expect(world.device.network.bytesReceived == Int64(SystemWorld.content.count) + repeated)
            world.end()
        }

        /// The server has another version, and sends the whole file.
        @Test func changedFileIsReplaced() async throws {
            let world = try SystemWorld(lane: .front)
            let film = try await Self.begin(world, until: 131_072)
            try await world.wait("its version is known") { try await world.state(film) == .running(.receiving) }
            let newer = Data(SystemWorld.content.reversed())
            world.device.changeNetwork { $0.server = { _, _ in .init(200, ["ETag": "\"2\""], newer) } }
            world.die()
            try world.comeBack()
            try await world.go("it ends") { try await world.state(film) == .succeeded }
            #expect(world.file() == newer)
            world.end()
        }

        @Test func lostConnectionContinuesFromTheFile() async throws {
            let world = try SystemWorld(lane: .front)
            let film = try await Self.begin(world, until: 131_072)
            world.device.changeNetwork { $0.isOnline = false }
            try await world.go("it is interrupted") { try await world.detail(film).lastFailure != nil }
            #expect(try await world.detail(film).snapshot.bytesDone == 131_072)
            world.device.changeNetwork { $0.isOnline = true }
            try await world.send(.control(.retry, .ids([film])))
            try await world.go("it ends") { try await world.state(film) == .succeeded }
            #expect(world.file() == SystemWorld.content)
            #expect(world.device.network.bytesReceived == Int64(SystemWorld.content.count) + Self.overlap)
            world.end()
        }
    }
}
