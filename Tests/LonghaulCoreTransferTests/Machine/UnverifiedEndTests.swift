import TestSupport
import Testing

@testable import LonghaulCore

/// Files of unknown length, and bodies without a marked end.
@Suite struct UnverifiedEndTests {
    private static let dates = [
        HeaderField("Date", "Fri, 15 Jan 2027 08:00:00 GMT"),
        HeaderField("Last-Modified", "Thu, 14 Jan 2027 08:00:00 GMT"),
    ]

    private static func head(tag: String?) -> ResponseHead {
        .ok(200, dates + (tag.map { [HeaderField("ETag", $0)] } ?? []))
    }

    private func ended(tag: String?, _ change: (inout TransferSpec) -> Void = { _ in }) -> (
        MachineFixture, [TransferAction]
    ) {
        var world = MachineFixture.download(change)
        world.feed(.turnGranted)
        world.engine(.receiving(Self.head(tag: tag)))
        var outcome = ExchangeOutcome(
            ending: .responded, head: Self.head(tag: tag), disposition: .written(length: 400, isComplete: true))
        outcome.endsUnverified = true
        let actions = world.engine(.exchangeEnded(outcome))
        return (world, actions)
    }

    private func place(_ world: inout MachineFixture) {
        world.engine(.placed(.success(PlacedFile(path: "/tmp/files/film.mp4", leavesPartialFile: false))))
    }

    @Test func snapshotAndHistoryReportUnverifiedLength() {
        var (world, actions) = ended(tag: nil)
        #expect(actions.placement?.length == 400)
        let before = world.machine.record
        place(&world)
        #expect(TransferSnapshot(world.machine.record).isLengthUnverified)
        #expect(world.machine.record.history(since: before)?.detail.contains("length not verified") == true)
    }

    @Test func aDigestVerifiesIt() {
        var (world, actions) = ended(tag: nil) {
            $0.download?.expectedDigest = Digest(algorithm: .sha256, bytes: Array(repeating: 7, count: 32))
        }
        #expect(actions.placement != nil)
        place(&world)
        #expect(!TransferSnapshot(world.machine.record).isLengthUnverified)
    }

    /// A strong tag lets the byte after the end be requested: 416 proves the end, and a part continues the file.
    @Test func theByteAfterTheEndIsRequested() throws {
        var (world, actions) = ended(tag: "\"one\"")
        #expect(actions.exchange?.headers.single("Range") == "bytes=400-")
        var cut = world
        #expect(world.engine(.refused(.alreadyComplete)).placement?.length == 400)
        place(&world)
        #expect(!TransferSnapshot(world.machine.record).isLengthUnverified)
        // A small part is not announced.
        let rest = ResponseHead.ok(206, [HeaderField("Content-Range", "bytes 400-999/1000")])
        let outcome = ExchangeOutcome(
            ending: .responded, head: rest, disposition: .written(length: 1_000, isComplete: true))
        #expect(cut.engine(.exchangeEnded(outcome)).placement?.length == 1_000)
        place(&cut)
        #expect(!TransferSnapshot(cut.machine.record).isLengthUnverified)
    }

    @Test(arguments: [
        DownloadVerdict.Refusal.status, .changed, .lengthUnknown, .rangeUnusable("no total"),
    ]) func aRefusedProbeKeepsTheFile(refusal: DownloadVerdict.Refusal) {
        var (world, _) = ended(tag: "\"one\"")
        #expect(world.engine(.refused(refusal, .ok(403))).placement?.length == 400)
        place(&world)
        #expect(TransferSnapshot(world.machine.record).isLengthUnverified)
    }

    @Test func aServerWithoutRangesKeepsTheFile() {
        var (world, _) = ended(tag: "\"one\"")
        #expect(world.engine(.head(Self.head(tag: "\"two\""))) == [.stop])
        world.engine(.exchangeEnded(ExchangeOutcome(ending: .cancelled)))
        // A crash finds the same.
        world.feed(.turnGranted)
        #expect(world.engine(.partialMeasured(.success(400))).placement?.length == 400)
        place(&world)
        #expect(TransferSnapshot(world.machine.record).isLengthUnverified)
    }

    /// RFC 9110 requires a 416 for the byte after the end. Some servers send an empty part.
    @Test(
        arguments: [
            ("bytes 400-399/400", "0", .alreadyComplete), ("bytes 400-399/400", nil, .alreadyComplete),
            ("bytes 400-399/*", "0", .alreadyComplete), (nil, "0", .alreadyComplete),
            (nil, nil, .rangeUnusable("The server sent no valid Content-Range.")),
            (nil, "7", .rangeUnusable("The server sent no valid Content-Range.")),
            ("nonsense", "0", .rangeUnusable("The server sent no valid Content-Range.")),
            ("bytes 400-399/900", "0", .rangeUnusable("The server sent no valid Content-Range.")),
            ("bytes 300-299/300", "0", .rangeUnusable("The server sent no valid Content-Range.")),
            ("bytes 400-399/400", "5", .rangeUnusable("The server sent no valid Content-Range.")),
        ] as [(String?, String?, DownloadVerdict.Refusal)])
    func emptyPartConfirmsTheEnd(range: String?, length: String?, refusal: DownloadVerdict.Refusal) {
        let validators = Validators(entityTag: "\"one\"", lastModified: nil, isSoft: false, total: nil)
        var point = ResumePoint(length: 400, overlap: 0, validators: validators)
        let fields = [("Content-Range", range), ("Content-Length", length)].compactMap { name, value in
            value.map { HeaderField(name, $0) }
        }
        func verdict(_ status: Int = 206, tag: String = "\"one\"") -> DownloadVerdict? {
            let head = ResponseHead.ok(status, fields + [HeaderField("ETag", tag)])
            return PartialPlan(path: "f", resume: point, digests: []).seen(head).map {
                DownloadRule.decide(head: $0, resume: point)
            }
        }
        #expect(verdict() == .refuse(refusal))
        if range == "bytes 400-399/400" { #expect(verdict(200) == .refuse(refusal), "the status is wrong, too") }
        #expect(verdict(tag: "\"two\"") != .refuse(.alreadyComplete), "another version")
        point.overlap = 100
        #expect(verdict() != .refuse(.alreadyComplete), "the overlap was requested, and is missing")
        point.overlap = 0
        point.validators.total = 900
        #expect(verdict() != .refuse(.alreadyComplete), "the file is known to be longer")
    }

    /// The end of a body was lost, and no response states the total.
    @Test(arguments: ["bytes */400", nil]) func aFileOfUnknownTotalEnds(range: String?) throws {
        var world = MachineFixture.download()
        world.feed(.turnGranted)
        world.engine(.receiving(Self.head(tag: "\"one\"")))
        world.engine(.written(400, complete: false))
        world.now = world.now + .seconds(600)
        world.feed(.due)
        world.feed(.turnGranted)
        func point(_ actions: [TransferAction]) throws -> ResumePoint {
            guard case .partial(let partial) = actions.exchange?.sink, let resume = partial.resume else {
                throw Unexpected()
            }
            return resume
        }
        let overlap = try point(world.engine(.partialMeasured(.success(400))))
        let part = ResponseHead.ok(
            206, [HeaderField("Content-Range", "bytes 0-399/*"), HeaderField("ETag", "\"one\"")])
        #expect(
            DownloadRule.decide(head: part, resume: overlap)
                == .compareThenWrite(from: 0, overlap: 400, bodyLength: 400))
        world.engine(.receiving(part))
        let outcome = ExchangeOutcome(
            ending: .responded, head: part, disposition: .written(length: 400, isComplete: true))
        let last = try point(world.engine(.exchangeEnded(outcome)))
        #expect(last.overlap == 0)
        let end = ResponseHead.ok(416, (range.map { [HeaderField("Content-Range", $0)] } ?? []))
        #expect(DownloadRule.decide(head: end, resume: last) == .refuse(.alreadyComplete))
    }
}
