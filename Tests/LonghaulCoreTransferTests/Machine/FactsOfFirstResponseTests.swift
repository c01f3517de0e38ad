import TestSupport
import Testing

@testable import LonghaulCore

/// What the first response said about the file outlives the bytes.
@Suite struct FactsOfFirstResponseTests {
    private static let type = HeaderField("Content-Type", "application/octet-stream")

    private func file(_ tag: String = "\"one\"", _ type: HeaderField? = Self.type) -> ResponseHead {
        var head = ResponseHead.file(tag: tag)
        if let type { head.headers.append(type) }
        return head
    }

    /// Returns a download that has started over after its version was refused, with fewer bytes than are worth a second file.
    private func restarted() -> MachineFixture {
        var world = MachineFixture.download()
        world.feed(.turnGranted)
        world.engine(.receiving(file()))
        world.engine(.written(400, complete: false))
        world.now = world.now + .seconds(600)
        world.feed(.due)
        world.feed(.turnGranted)
        world.engine(.partialMeasured(.success(400)))
        world.engine(.refused(.changed, .ok(412)))
        return world
    }

    private static let page: [HeaderField] = [
        HeaderField("Content-Length", "41"), HeaderField("Content-Type", "text/html"),
    ]

    @Test(arguments: [true, false]) func pageAfterRestartIsNotTheFile(isSmall: Bool) {
        var world = restarted()
        #expect(world.facts.download.validators == nil && world.machine.step == .downloading(nil))
        let page = ResponseHead.ok(200, Self.page)
        if isSmall {
            var outcome = ExchangeOutcome(ending: .responded, head: page)
            outcome.disposition = .held(length: 41)
            world.engine(.exchangeEnded(outcome))
        } else {
            world.engine(.receiving(page))
            world.engine(.exchangeEnded(ExchangeOutcome(ending: .cancelled, head: page)))
        }
        guard case .waiting(let waiting) = world.state else { return #expect(Bool(false), "\(world.state)") }
        #expect(waiting.failure?.code == .serverFailed && waiting.failure?.message.contains("text/html") == true)
        #expect(world.facts.download.validators == nil)
    }

    @Test func responseWithoutTagAndLengthIsNotTheFile() {
        var world = restarted()
        world.engine(.receiving(.ok(200, [Self.type])))
        world.engine(.exchangeEnded(ExchangeOutcome(ending: .cancelled)))
        guard case .waiting(let waiting) = world.state else { return #expect(Bool(false), "\(world.state)") }
        #expect(waiting.failure?.code == .serverFailed)
    }

    @Test func otherTagOfTheSameTypeIsANewVersion() {
        var world = restarted()
        world.engine(.receiving(file("\"two\"")))
        #expect(world.state == .running(.receiving) && world.facts.download.validators?.entityTag == "\"two\"")
    }

    @Test func factsSurviveACrash() {
        var world = restarted()
        _ = world.crash()
        world.engine(.receiving(.ok(200, Self.page)))
        #expect(world.state != .running(.receiving))
    }

    @Test func otherURLHasOtherFacts() {
        var world = restarted()
        world.engine(.broke(.connectionLost))
        world.feed(.replaced(Replacement(url: "http://example.org/page.html")))
        #expect(world.facts.download.served.mediaType == nil && !world.facts.download.served.isIdentified)
    }

    /// A digest of the whole file decides.
    @Test func digestOutweighsTheType() {
        var world = MachineFixture.download {
            $0.download?.expectedDigest = Digest(algorithm: .sha256, bytes: Array(repeating: 7, count: 32))
        }
        world.feed(.turnGranted)
        world.engine(.receiving(file()))
        world.engine(.written(0, complete: false))
        world.machine.record.facts.forgetVersion()
        world.now = world.now + .seconds(600)
        world.feed(.due)
        world.feed(.turnGranted)
        world.engine(.receiving(.ok(200, Self.page)))
        #expect(world.state == .running(.receiving))
    }

    /// With the length of the rest, or with any other length under the same strong tag.
    @Test(arguments: ["600", "604", "999"]) func bodyOfOtherLengthUnderTheTagIsNotTheFile(length: String) {
        var world = MachineFixture.download()
        world.feed(.turnGranted)
        world.engine(.receiving(file()))
        world.engine(.written(400, complete: false))
        world.now = world.now + .seconds(600)
        world.feed(.due)
        world.feed(.turnGranted)
        world.engine(.partialMeasured(.success(400)))
        let slice = ResponseHead.ok(
            200, [HeaderField("ETag", "\"one\""), HeaderField("Content-Length", length), Self.type])
        let actions = world.engine(.head(slice))
        #expect(actions == [.stop] && world.facts.bytesDone == 400 && world.facts.restarts == 0)
        #expect(
            world.facts.lastFailure?.message.contains("\(length) bytes as the whole file, which has 1000 bytes") == true
        )
    }

    /// A response without the tag says nothing about the version. The request repeats 4,096 of 6,000 bytes.
    @Test(arguments: [("8096", true), ("8095", false), ("10000", false)])
    func bodyOfTheLengthOfTheRestIsNotTheFile(length: String, isRest: Bool) {
        var world = MachineFixture.download()
        world.feed(.turnGranted)
        world.engine(.receiving(.file(length: 10_000)))
        world.engine(.written(6_000, complete: false))
        world.now = world.now + .seconds(600)
        world.feed(.due)
        world.feed(.turnGranted)
        world.engine(.partialMeasured(.success(6_000)))
        let actions = world.engine(.head(.ok(200, [HeaderField("Content-Length", length)])))
        #expect((actions == [.stop]) == isRest)
    }

    @Test func wholeFileWithStatus206IsTheFile() {
        var plan = PartialPlan(path: "f", resume: nil, digests: [])
        let whole = ResponseHead.ok(206, [HeaderField("Content-Range", "bytes 0-999/1000")])
        let part = ResponseHead.ok(206, [HeaderField("Content-Range", "bytes 0-899/1000")])
        #expect(plan.seen(whole)?.status == 200 && plan.seen(part)?.status == 206)
        plan.resume = ResumePoint(
            length: 0, overlap: 0, validators: Validators(entityTag: nil, lastModified: nil, isSoft: false, total: nil))
        #expect(plan.seen(whole)?.status == 206, "a range was requested")
    }

    private static let tag = HeaderField("ETag", "\"one\"")
    private static let old = [
        HeaderField("Date", "Fri, 15 Jan 2027 08:00:00 GMT"),
        HeaderField("Last-Modified", "Thu, 14 Jan 2027 08:00:00 GMT"),
    ]

    /// Some servers send a part although the whole file was requested.
    @Test(
        arguments: [
            ([tag], "bytes 0-9999/20000", "10000", true), (old, "bytes 0-9999/20000", nil, true),
            ([tag], "bytes 0-9999/*", "10000", true), ([], "bytes 0-9999/20000", "10000", false),
            ([HeaderField("ETag", "W/\"one\"")], "bytes 0-9999/20000", "10000", false),
            ([tag], "bytes 1-9999/20000", "9999", false), ([tag], "bytes 0-9999/20000", "20000", false),
            ([tag], "bytes 0-9999", "10000", false),
            (
                [tag, HeaderField("Content-Type", "multipart/byteranges; boundary=b")], "bytes 0-9999/20000", "10000",
                false
            ),
        ] as [([HeaderField], String, String?, Bool)])
    func unrequestedBeginningIsKeptIfTheRestCanBeJoined(
        validators: [HeaderField], range: String, length: String?, isKept: Bool
    ) {
        let fields = validators + [HeaderField("Content-Range", range)]
        let head = ResponseHead.ok(206, fields + (length.map { [HeaderField("Content-Length", $0)] } ?? []))
        let verdict = PartialPlan(path: "f", resume: nil, digests: []).seen(head).map {
            DownloadRule.decide(head: $0, resume: nil)
        }
        if isKept { return #expect(verdict == .write(at: 0, bodyLength: 10_000)) }
        guard case .refuse(.rangeUnusable)? = verdict else { return #expect(Bool(false), "\(verdict as Any)") }
    }

    /// A large body is announced, a small one arrives with its headers.
    @Test(arguments: [true, false], ["20000", "*"])
    func restIsRequestedAfterAnUnrequestedBeginning(isAnnounced: Bool, total: String) {
        let digest = HeaderField("Content-MD5", "1B2M2Y8AsgTpgAmY7PhCfg==")
        let head = ResponseHead.ok(206, [Self.tag, HeaderField("Content-Range", "bytes 0-9999/\(total)"), digest])
        var world = MachineFixture.download()
        world.feed(.turnGranted)
        if isAnnounced { world.engine(.receiving(head)) }
        let beginning = ExchangeOutcome(
            ending: .responded, head: head, disposition: .written(length: 10_000, isComplete: true))
        var crashed = world
        let plan = world.engine(.exchangeEnded(beginning)).exchange
        // It may be the whole file, so the next request may be for the byte after its end.
        #expect(plan?.headers.single("Range") == (total == "*" ? "bytes=10000-" : "bytes=5904-"))
        #expect(plan?.headers.single("If-Range") == "\"one\"")
        #expect(world.facts.bytesTotal == (total == "*" ? nil : 20_000) && world.facts.bytesDone == 10_000)
        #expect(world.facts.download.offeredDigests.isEmpty, "the digest may be that of the beginning")
        let part = ResponseHead.ok(206, [Self.tag, HeaderField("Content-Range", "bytes 5904-19999/20000")])
        world.engine(.receiving(part))
        let rest = ExchangeOutcome(
            ending: .responded, head: part, disposition: .written(length: 20_000, isComplete: true))
        #expect(world.engine(.exchangeEnded(rest)).placement?.length == 20_000)
        // The pause arrives too late to stop the exchange.
        crashed.feed(.command(.pause))
        crashed.engine(.exchangeEnded(beginning))
        crashed.feed(.command(.resume))
        crashed.feed(.turnGranted)
        let resumed = crashed.engine(.partialMeasured(.success(10_000))).exchange
        #expect(resumed?.headers.single("Range") == "bytes=5904-")
    }

    @Test func sliceWithStatus200IsAPart() {
        var plan = PartialPlan(path: "f", resume: nil, digests: [])
        let length = HeaderField("Content-Length", "600")
        let slice = ResponseHead.ok(
            200, [HeaderField("Content-Range", "bytes 400-999/1000"), length, HeaderField("ETag", "\"one\"")])
        let whole = ResponseHead.ok(
            200, [HeaderField("Content-Range", "bytes 0-999/1000"), HeaderField("Content-Length", "1000")])
        #expect(plan.seen(slice)?.status == 206 && plan.seen(whole)?.status == 200)
        var point = ResumePoint(
            length: 500, overlap: 100,
            validators: Validators(entityTag: "\"one\"", lastModified: nil, isSoft: false, total: 1_000))
        plan.resume = point
        let verdict = plan.seen(slice).map { DownloadRule.decide(head: $0, resume: point) }
        #expect(verdict == .compareThenWrite(from: 400, overlap: 100, bodyLength: 600))
        point.overlap = 0
        guard case .refuse(.rangeUnusable)? = plan.seen(slice).map({ DownloadRule.decide(head: $0, resume: point) })
        else {
            return #expect(Bool(false), "another range than the requested one")
        }
    }
}

/// The end of an exchange over several connections.
@Suite struct RefusedPartsTests {
    /// Returns a download whose exchange over several connections has ended so.
    private func download(endingWith outcome: ExchangeOutcome, map: SegmentMap? = SegmentMap([0..<400, 600..<900]))
        -> MachineFixture
    {
        var world = MachineFixture.download()
        world.feed(.turnGranted)
        world.engine(.receiving(.file()))
        if let map { world.engine(.parts(map)) }
        world.engine(.exchangeEnded(outcome))
        return world
    }

    private func segments(_ world: inout MachineFixture) -> PartialPlan? {
        world.now = world.now + .seconds(600)
        if case .waiting(let waiting) = world.state, waiting.reason != .turn { world.feed(.due) }
        world.feed(.turnGranted)
        guard case .partial(let plan)? = world.engine(.partialMeasured(.success(900))).exchange?.sink else {
            return nil
        }
        return plan
    }

    @Test func differingPartsLeaveTheFirstBytes() throws {
        let outcome = ExchangeOutcome(ending: .responded, head: .file(), disposition: .partsDiffer(length: 300))
        var world = download(endingWith: outcome)
        #expect(world.facts.download.segments == SegmentMap([0..<300]) && world.facts.download.files.kept == nil)
        #expect(
            world.facts.lastFailure?.message.contains("Parts of the file from different connections differ") == true)
        let plan = try #require(segments(&world))
        #expect(plan.segments == 1 && plan.resume?.length == 300)
    }

    @Test func differingPartsWithoutFirstBytesStartOver() {
        let outcome = ExchangeOutcome(ending: .responded, head: .file(), disposition: .partsDiffer(length: 0))
        let world = download(endingWith: outcome)
        #expect(world.machine.step == .downloading(nil) && world.facts.restartCounts.latest == .partsDiffer)
        #expect(world.facts.download.validators == nil && world.facts.download.files.kept == nil)
    }

    @Test func differingPartsOfAPausedDownloadAreDiscarded() {
        var world = MachineFixture.download()
        world.feed(.turnGranted)
        world.engine(.receiving(.file()))
        world.engine(.parts(SegmentMap([0..<400, 600..<900])))
        world.feed(.command(.pause))
        world.engine(
            .exchangeEnded(ExchangeOutcome(ending: .responded, head: .file(), disposition: .partsDiffer(length: 300))))
        #expect(world.state == .paused && world.facts.download.segments == SegmentMap([0..<300]))
    }

    @Test func refusedConnectionsLeadToOneConnection() throws {
        var outcome = ExchangeOutcome(ending: .broke(TransferFailure(.connectionLost, "It broke.")), head: .file())
        outcome.refusesParts = true
        var world = download(endingWith: outcome)
        #expect(try #require(segments(&world)).segments == 1)
    }

    /// Some servers ban an address for a while.
    @Test(arguments: [true, false]) func refusalAfterSeveralConnectionsIsRetried(hadSeveral: Bool) {
        let broke = ExchangeOutcome(ending: .broke(TransferFailure(.connectionLost, "It broke.")), head: .file())
        var world = download(endingWith: broke, map: hadSeveral ? SegmentMap([0..<400, 600..<900]) : nil)
        if !hadSeveral { world.machine.record.facts.download.syncedLength = 400 }
        _ = segments(&world)
        world.engine(.refused(.status, .ok(403)))
        if case .waiting(let waiting) = world.state {
            #expect(hadSeveral && waiting.failure?.code == .forbidden)
        } else {
            #expect(!hadSeveral)
        }
    }

    /// The kept bytes did not lead to the file.
    @Test func retryAfterOtherVersionsStartsWithoutKeptBytes() {
        var world = MachineFixture.download()
        world.feed(.turnGranted)
        world.engine(.receiving(.file(length: 10 << 20)))
        world.engine(.written(5 << 20, complete: false))
        _ = world.machine.record.facts.keepVersion(
            from: "http://example.org/film.mp4", world.machine.record.spec.download)
        world.machine.record.facts.forgetVersion()
        world.machine.record.state = .failed(.versionChanged(.bytes))
        world.feed(.command(.retry))
        #expect(world.facts.download.files.kept == nil && world.facts.download.validators == nil)
    }
}
