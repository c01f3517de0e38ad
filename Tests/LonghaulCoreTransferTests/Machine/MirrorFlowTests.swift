import TestSupport
import Testing

@testable import LonghaulCore

/// Downloads with several sources.
@Suite struct MirrorFlowTests {
    private static let second = "http://second.example.org/film.mp4"

    private func world(
        digest: Bool = false, _ change: (inout TransferSpec) -> Void = { _ in }
    ) -> MachineFixture {
        MachineFixture.download { spec in
            spec.options.mirrors = [Self.second]
            if digest, case .download(var download) = spec.work {
                download.expectedDigest = Digest(algorithm: .sha256, bytes: Array(repeating: 7, count: 32))
                spec.work = .download(download)
            }
            change(&spec)
        }
    }

    private func plan(_ actions: [TransferAction]) -> ExchangePlan? { actions.exchange }

    @Test func refusedConnectionSwitchesToNextSource() throws {
        var world = world()
        #expect(try #require(plan(world.feed(.turnGranted))).url == "http://example.org/film.mp4")
        world.engine(.broke(.connectionRefused))
        #expect(world.state == .waiting(Waiting(.turn, since: world.now)))
        #expect(world.facts.failuresInARow == 0)
        #expect(try #require(plan(world.feed(.turnGranted))).url == Self.second)
    }

    /// A handshake that always fails here says nothing about the next source.
    @Test func sourceWithoutUsableTLSIsLeft() throws {
        var world = world()
        world.feed(.turnGranted)
        world.engine(.broke(.tlsFailed))
        try #require(world.state == .waiting(Waiting(.turn, since: world.now)))
        #expect(try #require(plan(world.feed(.turnGranted))).url == Self.second)
    }

    @Test func secretsStayWithFirstSource() throws {
        var world = world {
            $0.headers = [HeaderField("Authorization", "Basic eDp5"), HeaderField("X-Plain", "1")]
            $0.network.clientCertificate = ClientCertificate(certificate: "/c.pem")
        }
        let first = try #require(plan(world.feed(.turnGranted)))
        #expect(first.headers.single("Authorization") != nil && first.network.clientCertificate != nil)
        guard case .partial(let partial) = first.sink else { throw Unexpected() }
        #expect(partial.mirrors.places.map(\.url) == [Self.second])
        #expect(partial.mirrors.places[0].headers.single("Authorization") == nil)
        #expect(partial.mirrors.places[0].isAtHome == false)
        world.engine(.broke(.connectionRefused))
        let second = try #require(plan(world.feed(.turnGranted)))
        #expect(second.headers.single("Authorization") == nil && second.headers.single("X-Plain") == "1")
        #expect(second.network.clientCertificate == nil)
    }

    /// Strong tags are requested and must be returned; a date of another server proves nothing.
    @Test func sameTagAllowsResumingFromAnotherSource() throws {
        var world = world()
        world.feed(.turnGranted)
        world.engine(.receiving(.file()))
        world.engine(.written(400, complete: false))
        world.feed(.turnGranted)
        let next = try #require(plan(world.engine(.partialMeasured(.success(400)))))
        #expect(next.url == Self.second && next.headers.single("If-Match") == "\"one\"")
        guard case .partial(let partial) = next.sink, let resume = partial.resume else { throw Unexpected() }
        #expect(resume.isElsewhere && resume.validators.lastModified == nil)
        for (tag, total, verdict) in [
            ("\"one\"", "1000", DownloadVerdict.compareThenWrite(from: 0, overlap: 400, bodyLength: 1_000)),
            ("\"two\"", "1000", .refuse(.changed)), (nil, "1000", .refuse(.changed)),
            ("\"one\"", "*", .refuse(.changed)), ("\"one\"", "1001", .refuse(.changed)),
        ] as [(String?, String, DownloadVerdict)] {
            let fields =
                [HeaderField("Content-Range", "bytes 0-999/\(total)")] + (tag.map { [HeaderField("ETag", $0)] } ?? [])
            #expect(DownloadRule.decide(head: .ok(206, fields), resume: resume) == verdict, "\(tag ?? "none") \(total)")
        }
    }

    @Test func aMirrorWithAnotherVersionCostsNothing() throws {
        var world = world()
        world.feed(.turnGranted)
        world.engine(.receiving(.file()))
        world.engine(.written(400, complete: false))
        world.feed(.turnGranted)
        world.engine(.partialMeasured(.success(400)))
        world.engine(.refused(.changed))
        #expect(world.facts.bytesDone == 400 && world.facts.restarts == 0)
        guard case .waiting(let waiting) = world.state, let until = waiting.until else { throw Unexpected() }
        #expect(world.facts.download.mirrors?.places[1].standing == .otherVersion)
        world.now = until
        world.feed(.due)
        world.feed(.turnGranted)
        let back = try #require(plan(world.engine(.partialMeasured(.success(400)))))
        #expect(back.url == "http://example.org/film.mp4" && back.headers.single("Range") == "bytes=0-")
    }

    @Test func withADigestTagsMayDiffer() throws {
        var world = world(digest: true)
        world.feed(.turnGranted)
        world.engine(.receiving(.file()))
        world.engine(.written(400, complete: false))
        world.feed(.turnGranted)
        let next = try #require(plan(world.engine(.partialMeasured(.success(400)))))
        #expect(next.headers.single("If-Match") == nil && next.headers.single("Range") == "bytes=0-")
        guard case .partial(let partial) = next.sink, let resume = partial.resume else { throw Unexpected() }
        let range = HeaderField("Content-Range", "bytes 0-999/1000")
        let verdict = DownloadRule.decide(head: .ok(206, [range, HeaderField("ETag", "\"two\"")]), resume: resume)
        #expect(verdict == .compareThenWrite(from: 0, overlap: 400, bodyLength: 1_000))
    }

    /// Without a proof, nothing is joined: the mirror's file replaces the bytes, and only when the first source is lost permanently.
    @Test func withoutProofAMirrorReplacesTheWhole() throws {
        var world = world()
        world.feed(.turnGranted)
        world.engine(.receiving(.file(tag: "W/\"one\"")))
        world.engine(.written(400, complete: false))
        guard case .waiting(let waiting) = world.state else { throw Unexpected() }
        #expect(waiting.reason == .retry && world.facts.bytesDone == 400)
        world.now = try #require(waiting.until)
        world.feed(.due)
        world.feed(.turnGranted)
        world.engine(.partialMeasured(.success(400)))
        world.engine(.refused(.status, .ok(404)))
        #expect(world.facts.bytesDone == 0 && world.facts.restartCounts.latest == .placeLost)
        let anew = try #require(plan(world.feed(.turnGranted)))
        #expect(anew.url == Self.second && anew.headers.single("Range") == nil)
        #expect(world.machine.record.facts.download.mirrors?.places[0].standing == .refused)
    }

    @Test func whenAllRefuseItFailsWithTheLastRefusal() {
        var world = world()
        world.feed(.turnGranted)
        world.engine(.refused(.status, .ok(404)))
        world.feed(.turnGranted)
        world.engine(.refused(.status, .ok(403)))
        guard case .failed(let failure) = world.state else { return #expect(Bool(false), "\(world.state)") }
        #expect(failure.code == .forbidden)
        // A retry tries all sources again.
        world.feed(.command(.retry))
        #expect(plan(world.feed(.turnGranted)) != nil)
        #expect(world.facts.download.mirrors?.places.allSatisfy { $0.standing == .good } == true)
    }

    @Test func theMostTellingFailureNamesItsSource() throws {
        var refusals = world()
        refusals.feed(.turnGranted)
        refusals.engine(.refused(.status, .ok(403)))
        refusals.feed(.turnGranted)
        refusals.engine(.refused(.status, .ok(404)))
        guard case .failed(let refusal) = refusals.state else { throw Unexpected() }
        #expect(refusal.code == .forbidden && refusal.message.hasPrefix("http://example.org/film.mp4: "))
        var wrong = world(digest: true)
        wrong.feed(.turnGranted)
        wrong.engine(.receiving(.file()))
        wrong.engine(.written(1_000, complete: true))
        wrong.engine(.placed(.failure(TransferFailure(.digestMismatch, "wrong"))))
        wrong.feed(.turnGranted)
        wrong.engine(.refused(.status, .ok(404)))
        guard case .failed(let mismatch) = wrong.state else { throw Unexpected() }
        #expect(mismatch.code == .digestMismatch && mismatch.message == "http://example.org/film.mp4: wrong")
        #expect(wrong.facts.download.mirrors?.reports.map(\.failure?.code) == [.digestMismatch, .notFound])
    }

    @Test func aSilentSourceIsLeftSoon() throws {
        var alone = MachineFixture.download()
        #expect(try #require(plan(alone.feed(.turnGranted))).network.connectTimeout == .seconds(30))
        var world = world()
        for limit in [2, 2, 4] {
            let network = try #require(plan(world.feed(.turnGranted))).network
            #expect(network.connectTimeout == .seconds(limit) && network.timeoutIntervalForResponse == .seconds(limit))
            world.engine(.broke(.timedOut))
            world.now = world.now + .seconds(600)
            world.feed(.due)
        }
    }

    @Test func ofOnePlaceWithAWrongDigestNothingIsTakenAgain() throws {
        var world = world(digest: true)
        world.feed(.turnGranted)
        world.engine(.receiving(.file()))
        world.engine(.written(1_000, complete: true))
        world.engine(.placed(.failure(TransferFailure(.digestMismatch, "wrong"))))
        #expect(world.facts.download.mirrors?.places[0].standing == .refused)
        let anew = try #require(plan(world.feed(.turnGranted)))
        #expect(anew.url == Self.second && anew.headers.single("Range") == nil)
    }

    @Test func mirrorContributionsAreReported() {
        var world = world(digest: true)
        world.feed(.turnGranted)
        world.engine(.receiving(.file()))
        world.engine(.parts(SegmentMap([0..<100])))
        world.engine(
            .places([MirrorSelector.Statistics(url: Self.second, bytes: 300, rate: 50, isOfOtherVersion: false)]))
        world.engine(.parts(SegmentMap([0..<200, 500..<800])))
        let detail = TransferDetail(world.machine.record, snapshot: TransferSnapshot(world.machine.record))
        #expect(detail.mirrors.map(\.bytes) == [200, 300])
        #expect(detail.mirrors[1].rate == 50 && detail.mirrors[0].isAsked)
    }

    @Test func anAnswerMayNameFurtherPlaces() throws {
        var world = MachineFixture.download()
        world.feed(.turnGranted)
        var head = ResponseHead.file()
        head.headers.append(
            HeaderField(
                "Link", "<http://b.example.org/f>; rel=duplicate; pri=2, </c>; rel=\"duplicate\"; pri=1, <x>; rel=next")
        )
        world.engine(.receiving(head))
        #expect(
            world.facts.download.mirrors?.places.map(\.url) == [
                "http://example.org/film.mp4", "http://example.org/c", "http://b.example.org/f",
            ])
        world.engine(.written(400, complete: false))
        world.feed(.turnGranted)
        #expect(try #require(plan(world.engine(.partialMeasured(.success(400))))).url == "http://example.org/c")
    }

    @Test func uploadsHaveNoMirrors() {
        let spec = TransferSpec(work: .request(body: []), method: "GET", url: "http://a.example/")
        var with = spec
        with.options.mirrors = [Self.second]
        #expect(throws: TransferFailure.self) { try TransferRecord.check(with) }
        with.work = .download(DownloadSpec(directory: "/tmp"))
        with.options.mirrors = ["ftp://a.example/"]
        #expect(throws: TransferFailure.self) { try TransferRecord.check(with) }
    }
}

/// Pieces with digests.
@Suite struct PieceFlowTests {
    private static let pieces = PieceDigests(
        algorithm: .md5, length: 300, digests: Array(repeating: 1, count: 16 * 4))

    private func world(repairs: Bool = false, mirrors: [String] = []) -> MachineFixture {
        MachineFixture.download { spec in
            guard case .download(var download) = spec.work else { return }
            download.expectedLength = 1_000
            download.pieces = Self.pieces
            download.repairs = repairs
            download.collision = .overwrite
            spec.work = .download(download)
            spec.options.mirrors = mirrors
        }
    }

    private func isCheck(_ actions: [TransferAction], source: String?) -> Bool {
        guard case .start(.files(.checkPieces(let check)))? = actions.first else { return false }
        return check.source == source && check.total == 1_000
    }

    @Test func aWrongPieceIsFetchedAgainAloneFromAnotherPlace() throws {
        var world = world(mirrors: ["http://second.example.org/f"])
        world.feed(.turnGranted)
        world.engine(.receiving(.file()))
        #expect(isCheck(world.engine(.written(1_000, complete: true)), source: nil))
        world.engine(.piecesChecked(.success(PieceReport(good: SegmentMap([0..<300, 600..<1_000])))))
        #expect(world.facts.bytesDone == 700 && world.facts.download.segments?.count == 700)
        world.feed(.turnGranted)
        let plan = try #require(world.engine(.partialMeasured(.success(1_000))).exchange)
        #expect(plan.url == "http://second.example.org/f" && plan.headers.single("Range") == "bytes=300-599")
        // It also happens after a crash.
        _ = world.crash()
        #expect(
            try #require(world.engine(.partialMeasured(.success(1_000))).exchange).headers.single("Range")
                == "bytes=300-599")
        world.engine(.receiving(.ok(206)))
        #expect(isCheck(world.engine(.written(1_000, complete: true)), source: nil))
        #expect(
            world.engine(.piecesChecked(.success(PieceReport(good: SegmentMap([0..<1_000]))))).placement?.length
                == 1_000)
    }

    @Test func aPieceThatStaysWrongIsNamed() throws {
        var world = world()
        world.feed(.turnGranted)
        world.engine(.receiving(.file()))
        for _ in 0..<3 {
            world.engine(.written(1_000, complete: true))
            world.engine(.piecesChecked(.success(PieceReport(good: SegmentMap([0..<300, 600..<1_000])))))
            guard !world.state.isEnded else { break }
            world.feed(.turnGranted)
            world.engine(.partialMeasured(.success(1_000)))
        }
        guard case .failed(let failure) = world.state else { throw Unexpected() }
        #expect(failure.code == .digestMismatch && failure.message.contains("Piece 2 of 4 (bytes 300 to 599)"))
    }

    @Test func repairRequestsOnlyDamagedPieces() throws {
        var world = world(repairs: true)
        #expect(isCheck(world.feed(.turnGranted), source: "/tmp/files/film.mp4"))
        let plan = try #require(
            world.engine(.piecesChecked(.success(PieceReport(good: SegmentMap([0..<600, 900..<1_000]))))).exchange)
        #expect(plan.headers.single("Range") == "bytes=600-899")
        #expect(world.facts.bytesDone == 700)
        // Once is enough.
        _ = world.crash()
        #expect(
            try #require(world.engine(.partialMeasured(.success(1_000))).exchange).headers.single("Range")
                == "bytes=600-899")
    }

    @Test func intactFileSucceedsWithoutRequest() {
        var world = world(repairs: true)
        world.feed(.turnGranted)
        world.engine(.piecesChecked(.success(PieceReport(good: SegmentMap([0..<1_000]), isSourceWhole: true))))
        #expect(world.state == .succeeded && world.facts.download.finalPath == "/tmp/files/film.mp4")
    }

    @Test func aFileOfWhichNothingIsGoodIsFetched() throws {
        var world = world(repairs: true)
        world.feed(.turnGranted)
        let plan = try #require(world.engine(.piecesChecked(.success(PieceReport(good: SegmentMap())))).exchange)
        #expect(plan.headers.single("Range") == nil)
    }

    @Test func unexpectedContentLengthFailsDownload() {
        var world = world()
        world.feed(.turnGranted)
        var head = ResponseHead.file()
        head.headers[0] = HeaderField("Content-Length", "999")
        world.engine(.receiving(head))
        guard case .failed(let failure) = world.state else { return #expect(Bool(false), "\(world.state)") }
        #expect(failure.code == .digestMismatch && world.facts.download.validators == nil)
    }

    @Test func piecesFitTheLength() {
        #expect(Self.pieces.fit(1_000) && Self.pieces.fit(901) && Self.pieces.fit(1_200))
        #expect(!Self.pieces.fit(900) && !Self.pieces.fit(1_201) && !Self.pieces.fit(-1))
        #expect(Self.pieces.range(of: 3, in: 1_000) == 900..<1_000)
    }
}
