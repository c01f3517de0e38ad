import TestSupport
import Testing

@testable import LonghaulCore

/// The bytes of an earlier version stay until a newer one is complete.
@Suite struct KeptVersionTests {
    static let total: Int64 = 10 << 20
    static let done: Int64 = 7 << 20
    static let digest = Digest(algorithm: .sha256, bytes: Array(repeating: 7, count: 32))

    private let first: String
    private let second: String

    init() {
        first = MachineFixture.download().machine.partialPath
        second = first.dropLast(5) + ".2.part"
    }

    private func file(_ tag: String, _ type: String = "video/mp4") -> ResponseHead {
        var head = ResponseHead.file(tag: "\"\(tag)\"", length: Self.total)
        head.headers.append(HeaderField("Content-Type", type))
        return head
    }

    private var page: ResponseHead {
        .ok(200, [HeaderField("Content-Length", "85"), HeaderField("Content-Type", "text/html")])
    }

    private func written(_ length: Int64, _ tag: String, complete: Bool = false) -> EngineEvent {
        let ending: ExchangeOutcome.Ending =
            complete ? .responded : .broke(TransferFailure(.connectionLost, "It broke."))
        return .exchangeEnded(
            ExchangeOutcome(
                ending: ending, head: file(tag), disposition: .written(length: length, isComplete: complete)))
    }

    /// A download that broke after 7 of 10 MiB and requests the rest.
    private func interrupted(
        at length: Int64 = Self.done, _ change: (inout TransferSpec) -> Void = { _ in }
    ) -> MachineFixture {
        var world = MachineFixture.download(change)
        world.feed(.turnGranted)
        world.engine(.receiving(file("one")))
        world.engine(written(length, "one"))
        resume(&world, at: length)
        return world
    }

    @discardableResult
    private func resume(_ world: inout MachineFixture, at length: Int64) -> ExchangePlan? {
        world.now = world.now + .seconds(600)
        world.feed(.due)
        return (world.feed(.turnGranted) + world.engine(.partialMeasured(.success(length)))).exchange
    }

    /// The same, after another version has reached this length.
    private func replaced(at length: Int64 = 2 << 20) -> MachineFixture {
        var world = interrupted()
        world.engine(.head(file("two")))
        world.engine(.receiving(file("two")))
        world.engine(written(length, "two"))
        resume(&world, at: length)
        return world
    }

    private func path(of plan: ExchangePlan?) -> String? {
        guard case .partial(let partial)? = plan?.sink else { return nil }
        return partial.path
    }

    private func kept(_ world: MachineFixture) -> KeptVersion? { world.facts.download.files.kept?.value }

    /// The turn in which a kept version is resumed: its file is measured, the other one deleted, and the rest requested.
    private func expectTakenBack(_ world: inout MachineFixture, _ comment: Comment = "restored") {
        #expect(kept(world) == nil && world.facts.bytesDone == Self.done, comment)
        #expect(world.facts.download.validators?.entityTag == "\"one\"", comment)
        let actions = world.feed(.turnGranted)
        let measuring = FileWork.measurePartial(path: first, directory: "/tmp/files", discarding: second)
        #expect(actions == [.start(.files(measuring))], comment)
        let plan = world.engine(.partialMeasured(.success(Self.done))).exchange
        #expect(path(of: plan) == first, comment)
        #expect(plan?.headers.single("Range") == "bytes=\(Self.done - 4_096)-", comment)
    }

    // MARK: Keeping

    @Test func anotherVersionIsWrittenBeside() {
        var world = interrupted()
        #expect(world.engine(.head(file("two"))) == [.release(.writeBeside(second))])
        #expect(kept(world)?.bytes == Self.done && kept(world)?.validators.entityTag == "\"one\"")
        // It died before a byte was written: the other file is written from its start.
        #expect(path(of: world.crash().exchange) == second)
        #expect(kept(world)?.bytes == Self.done)
    }

    @Test func aRefusedVersionIsKept() {
        var world = interrupted()
        let plan = world.engine(.refused(.changed, .ok(412))).exchange
        #expect(plan != nil && plan?.headers.single("Range") == nil && path(of: plan) == second)
        #expect(kept(world)?.bytes == Self.done)
        let line = world.machine.record.history(since: interrupted().machine.record)
        #expect(line?.detail.contains("kept until the new version is complete") == true)
    }

    @Test func littleIsNotKept() {
        var world = interrupted(at: (1 << 20) - 1)
        #expect(world.engine(.head(file("two"))) == [.release(.writeFromStart)])
        #expect(kept(world) == nil)
    }

    @Test func theSameVersionIsNotKept() {
        var world = interrupted()
        #expect(world.engine(.head(file("one"))) == [.release(.writeFromStart)])
        #expect(kept(world) == nil)
    }

    @Test func aFollowedDownloadKeepsNothing() {
        var world = interrupted { $0.download?.isFollowed = true }
        world.engine(.head(file("two")))
        #expect(kept(world) == nil && world.machine.partialPath == first)
    }

    @Test func theLongerOfTwoVersionsIsKept() {
        var shorter = replaced()
        #expect(shorter.engine(.head(file("three"))) == [.release(.writeFromStart)])
        #expect(kept(shorter)?.validators.entityTag == "\"one\"" && shorter.machine.partialPath == second)
        var longer = replaced(at: 8 << 20)
        #expect(longer.engine(.head(file("three"))) == [.release(.writeBeside(first))])
        #expect(kept(longer)?.validators.entityTag == "\"two\"")
    }

    // MARK: Resuming the kept version

    @Test func theServerHasTheKeptVersionAgain() {
        let changed = ResponseHead.ok(
            206, [HeaderField("ETag", "\"one\""), HeaderField("Content-Range", "bytes 2093056-10485759/10485760")])
        let answers: [(EngineEvent, isEnd: Bool)] = [
            (.head(file("one")), false), (.refused(.changed, .ok(412)), true), (.refused(.changed, changed), true),
        ]
        for (answer, isEnd) in answers {
            var world = replaced()
            let before = world.machine.record
            let actions = world.engine(answer)
            #expect(actions == (isEnd ? [] : [.stop]))
            let line = world.machine.record.history(since: before)
            #expect(line?.event == "resumed" && line?.detail.contains("\(Self.done) bytes") == true)
            if !isEnd { world.engine(.exchangeEnded(ExchangeOutcome(ending: .cancelled))) }
            var crashed = world
            crashed.machine = TransferMachine(world.machine.record)
            expectTakenBack(&world)
            expectTakenBack(&crashed, "after a crash")
        }
    }

    @Test func aThirdVersionIsRequestedAtOnce() {
        var world = replaced()
        let plan = world.engine(.refused(.changed, .ok(412, [HeaderField("ETag", "\"three\"")]))).exchange
        #expect(path(of: plan) == second && plan?.headers.single("Range") == nil)
        #expect(kept(world)?.bytes == Self.done)
    }

    /// A refusal, and then the request for the whole file is answered with the version that was refused.
    @Test func theRefusedVersionIsSentAgain() {
        var world = interrupted()
        world.engine(.refused(.changed, .ok(412)))
        #expect(world.engine(.receiving(file("one"))) == [.stop])
        // Its body is complete in the other file before the call reaches the engine.
        world.engine(.checkpoint(3 << 20))
        world.engine(written(Self.total, "one", complete: true))
        #expect(world.facts.download.syncedLength == 0)
        expectTakenBack(&world)
    }

    @Test func theMapOfAKeptVersionComesBack() {
        let map = SegmentMap([0..<(4 << 20), (6 << 20)..<(9 << 20)])
        var world = MachineFixture.download()
        world.feed(.turnGranted)
        world.engine(.receiving(file("one")))
        world.engine(.parts(map))
        world.engine(written(4 << 20, "one"))
        resume(&world, at: 9 << 20)
        world.engine(.refused(.changed, .ok(412)))
        world.engine(.receiving(file("one")))
        world.engine(written(Self.total, "one", complete: true))
        #expect(world.facts.download.segments?.ranges.count == 2)
    }

    @Test(arguments: [FailureCode.digestMismatch, .lengthMismatch]) func aWrongNewVersionIsGivenUp(code: FailureCode) {
        var world = replaced()
        world.engine(.receiving(.ok(206)))
        #expect(world.engine(written(Self.total, "two", complete: true)).placement?.partialPath == second)
        world.engine(.placed(.failure(TransferFailure(code, "wrong"))))
        expectTakenBack(&world)
    }

    @Test func twoServersInTurnEndTheTransfer() {
        var world = interrupted { $0.download?.expectedDigest = Self.digest }
        var rounds = 0
        while !world.state.isEnded, rounds < 20 {
            rounds += 1
            world.engine(.head(file("two")))
            world.engine(.receiving(file("two")))
            world.engine(written(Self.total, "two", complete: true))
            world.engine(.placed(.failure(TransferFailure(.digestMismatch, "wrong"))))
            if !world.state.isEnded { resume(&world, at: Self.done) }
        }
        #expect(rounds == 3)
        guard case .failed(let failure) = world.state else { return #expect(Bool(false), "it has not failed") }
        #expect(failure.code == .digestMismatch && world.facts.bytesDone == Self.done)
        #expect(world.facts.cleanup.isEmpty, "a retry resumes the old version")
    }

    // MARK: Implausible bodies

    @Test(arguments: [true, false]) func aPageAfterARefusalIsNotTheFile(isSmall: Bool) {
        var world = interrupted()
        world.engine(.refused(.changed, .ok(412)))
        if isSmall {
            world.engine(
                .exchangeEnded(ExchangeOutcome(ending: .responded, head: page, disposition: .held(length: 85))))
        } else {
            world.engine(.receiving(page))
            // All of it arrived before the call reached the engine.
            world.engine(
                .exchangeEnded(
                    ExchangeOutcome(
                        ending: .responded, head: page, disposition: .written(length: 85, isComplete: true))))
        }
        guard case .waiting(let waiting) = world.state else { return #expect(Bool(false), "\(world.state)") }
        #expect(waiting.failure?.code == .serverFailed && kept(world)?.bytes == Self.done)
        #expect(world.facts.download.validators == nil && world.facts.bytesDone == 0)
    }

    @Test func anotherMediaTypeAfterARefusalMayBeTheFile() {
        var world = interrupted()
        world.engine(.refused(.changed, .ok(412)))
        #expect(world.engine(.receiving(file("two", "video/webm"))).isEmpty)
        #expect(world.facts.download.validators?.entityTag == "\"two\"")
    }

    @Test func aStatedDigestRefusesABody() {
        var world = interrupted { $0.download?.expectedDigest = Self.digest }
        var head = file("two")
        head.headers.append(HeaderField("Repr-Digest", "sha-256=:\(Base64.encode(Array(repeating: 1, count: 32))):"))
        #expect(world.engine(.head(head)) == [.stop])
        #expect(world.facts.bytesDone == Self.done && world.facts.download.validators?.entityTag == "\"one\"")
    }

    @Test func aBodyOfTheWrongLengthReplacesNothing() {
        var world = interrupted { $0.download?.expectedLength = Self.total }
        var head = file("two")
        head.headers[0] = HeaderField("Content-Length", "\(Self.total - 1)")
        #expect(world.engine(.head(head)) == [.stop])
        #expect(world.facts.bytesDone == Self.done)
        var refused = interrupted { $0.download?.expectedLength = Self.total }
        refused.engine(.refused(.changed, .ok(412)))
        refused.engine(.receiving(head))
        refused.engine(.exchangeEnded(ExchangeOutcome(ending: .cancelled)))
        expectTakenBack(&refused)
    }

    // MARK: Ends

    @Test func theEndOfTheNewVersionDeletesTheKeptOne() throws {
        var world = replaced()
        world.engine(.receiving(.ok(206)))
        world.engine(written(Self.total, "two", complete: true))
        world.engine(.placed(.success(PlacedFile(path: "/tmp/files/film.mp4", leavesPartialFile: false))))
        #expect(world.state == .succeeded && world.facts.cleanup == [.partialFile])
        #expect(world.machine.work(for: .partialFile) == .files(.discard([second, first])))
        world.feed(.cleaned(.partialFile, isDone: true))
        #expect(world.facts.download.files == PartialFiles())
    }

    @Test func cancelAndRemoveDeleteBoth() {
        var world = replaced()
        world.feed(.command(.cancel))
        #expect(world.facts.cleanup == [.partialFile])
        #expect(world.machine.work(for: .partialFile) == .files(.discard([second, first])))
        var failed = replaced()
        failed.engine(.refused(.status, .ok(404)))
        #expect(failed.state.isEnded && failed.facts.cleanup.isEmpty && kept(failed) != nil)
        failed.feed(.command(.remove))
        #expect(failed.facts.cleanup == [.partialFile, .record])
    }

    @Test func aFullDiskCostsTheKeptVersionFirst() {
        var world = replaced()
        let before = world.machine.record
        world.engine(.broke(.diskFull))
        #expect(world.state == .waiting(Waiting(.turn, since: world.now)))
        #expect(world.machine.record.history(since: before)?.detail.contains("the disk is full") == true)
        let measuring = FileWork.measurePartial(path: second, directory: "/tmp/files", discarding: first)
        #expect(world.feed(.turnGranted) == [.start(.files(measuring))])
        world.engine(.partialMeasured(.success(2 << 20)))
        world.engine(.broke(.diskFull))
        guard case .waiting(let waiting) = world.state else { return #expect(Bool(false), "\(world.state)") }
        #expect(waiting.reason == .diskSpace)
        // No byte has arrived: the file of the kept version is overwritten.
        var early = interrupted()
        early.engine(.head(file("two")))
        early.engine(.broke(.diskFull))
        #expect(path(of: early.feed(.turnGranted).exchange) == first)
    }

    // MARK: Other users of the files

    @Test func anExchangeOfTheOtherFileIsNotAdopted() {
        var world = replaced()
        for (path, isWanted) in [(first, false), (second, true)] {
            var survivor = world.survivor()
            survivor.partialPath = path
            world.machine = TransferMachine(world.machine.record)
            #expect(world.feed(.survived(survivor)).isEmpty != isWanted, "\(path)")
        }
    }

    @Test func aNewURLVouchesForTagsOnly() {
        var world = replaced()
        world.feed(.replaced(Replacement(url: "http://other.org/film.mp4")))
        #expect(kept(world)?.validators.lastModified == nil && kept(world)?.validators.entityTag == "\"one\"")
        #expect(kept(world)?.effectiveURL == nil)
    }
}
