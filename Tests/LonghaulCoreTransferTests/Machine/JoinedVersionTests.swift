import TestSupport
import Testing

@testable import LonghaulCore

/// The bytes that are joined, and those that are kept until better ones have arrived.
@Suite struct JoinedVersionTests {
    private static let digest = Digest(algorithm: .sha256, bytes: Array(repeating: 7, count: 32))

    /// Returns a download that broke after 400 of 1000 bytes and requests the rest.
    private func interrupted(
        hasDigest: Bool = false, _ head: ResponseHead = .file(), _ change: (inout TransferSpec) -> Void = { _ in }
    ) -> (world: MachineFixture, plan: ExchangePlan?) {
        var world = MachineFixture.download { spec in
            if hasDigest { spec.download?.expectedDigest = Self.digest }
            change(&spec)
        }
        world.feed(.turnGranted)
        world.engine(.receiving(head))
        world.engine(.written(400, complete: false))
        let plan = resume(&world)
        return (world, plan)
    }

    private func resume(_ world: inout MachineFixture, at length: Int64 = 400) -> ExchangePlan? {
        world.now = world.now + .seconds(600)
        world.feed(.due)
        world.feed(.turnGranted)
        return world.engine(.partialMeasured(.success(length))).exchange
    }

    private func part(_ fields: [HeaderField], range: String = "bytes 0-999/1000") -> ResponseHead {
        .ok(206, [HeaderField("Content-Range", range)] + fields)
    }

    private func page(_ fields: [HeaderField] = []) -> ResponseHead {
        .ok(
            200,
            [HeaderField("Content-Length", "85"), HeaderField("Content-Type", "text/html; charset=utf-8")] + fields)
    }

    @Test(arguments: ["\"two\"", "W/\"one\"", "\"one-gzip\""])
    func aDigestOutweighsEntityTags(tag: String) throws {
        for hasDigest in [true, false] {
            let plan = try #require(interrupted(hasDigest: hasDigest).plan)
            #expect((plan.headers.single("If-Range") == nil) == hasDigest)
            guard case .partial(let partial) = plan.sink else { throw Unexpected() }
            let verdict = DownloadRule.decide(head: part([HeaderField("ETag", tag)]), resume: partial.resume)
            #expect((verdict == .refuse(.changed)) != hasDigest, "\(tag) \(hasDigest)")
        }
    }

    @Test func anEqualWeakTagNeedsTheSameDate() {
        let known = Validators(
            entityTag: "W/\"a\"", lastModified: "Thu, 14 Jan 2027 08:00:00 GMT", isSoft: false, total: 9)
        func failing(_ tag: String, _ day: String) -> VersionGuard? {
            let date = HeaderField("Last-Modified", "\(day) Jan 2027 08:00:00 GMT")
            return VersionGuard.failing(in: .ok(206, [HeaderField("ETag", tag), date]), known: known)
        }
        #expect(failing("W/\"a\"", "Thu, 14") == nil)
        #expect(failing("W/\"a\"", "Fri, 15") == .date)
        #expect(failing("W/\"b\"", "Thu, 14") == .entityTag)
    }

    @Test func connectionsWithDifferentTagsContinueAloneByTheDigest() throws {
        var world = MachineFixture.download { $0.download?.expectedDigest = Self.digest }
        world.feed(.turnGranted)
        world.engine(.receiving(.file()))
        world.engine(.parts(SegmentMap([0..<300, 500..<600])))
        world.engine(.refused(.changed, .file()))
        #expect(world.facts.bytesDone == 400 && world.facts.restartCounts.count == 0)
        world.feed(.turnGranted)
        let plan = try #require(world.engine(.partialMeasured(.success(600))).exchange)
        guard case .partial(let partial) = plan.sink else { throw Unexpected() }
        #expect(partial.segments == 1 && plan.headers.single("Range") == "bytes=0-499")
    }

    @Test func theFinalFailureNamesTheGuard() throws {
        var (world, _) = interrupted { $0.options.retryLimit = 3 }
        for count in 0..<12 where !world.state.isEnded {
            let head = ResponseHead.file(tag: "\"\(count)\"")
            world.engine(.head(head))
            world.engine(.receiving(head))
            world.engine(.written(400, complete: false))
            if !world.state.isEnded { _ = resume(&world) }
        }
        guard case .failed(let failure) = world.state else { throw Unexpected() }
        #expect(failure.code == .contentChanged && failure.message.contains("entity tag (ETag) differs"))
    }

    @Test(arguments: [true, false]) func aLoginPageReplacesNothing(hasDigest: Bool) throws {
        var (world, _) = interrupted(hasDigest: hasDigest)
        #expect(world.engine(.head(page())) == [.stop])
        guard case .waiting(let waiting) = world.state else { throw Unexpected() }
        #expect(
            waiting.failure?.code == .serverFailed && waiting.failure?.message.contains("text/html, 85 bytes") == true)
        world.engine(.exchangeEnded(ExchangeOutcome(ending: .cancelled)))
        #expect(world.facts.bytesDone == 400 && world.facts.download.validators?.total == 1_000)
        #expect(resume(&world)?.headers.single("Range") == "bytes=0-")
    }

    @Test func aPageOfAnotherHostIsACaptivePortal() throws {
        var (world, _) = interrupted()
        var head = page()
        head.effectiveURL = "http://portal.example.net/login"
        world.engine(.head(head))
        guard case .waiting(let waiting) = world.state else { throw Unexpected() }
        #expect(waiting.reason == .network && waiting.failure?.code == .captivePortal)
    }

    @Test(arguments: [
        [HeaderField("Content-Type", "video/mp4"), HeaderField("ETag", "\"two\"")], [HeaderField("ETag", "\"one\"")],
        [HeaderField("Content-Length", "1000"), HeaderField("Content-Type", "text/html")],
    ]) func aPlausibleBodyReplacesTheFile(fields: [HeaderField]) {
        var first = ResponseHead.file()
        first.headers.append(HeaderField("Content-Type", "video/mp4"))
        var (world, _) = interrupted(first)
        #expect(world.engine(.head(.ok(200, fields))) == [.release(.writeFromStart)])
    }

    @Test func totalsOfAPlacedFileAreItsOwn() {
        var world = MachineFixture.download()
        world.feed(.turnGranted)
        world.engine(.receiving(.file()))
        world.engine(.checkpoint(300))
        _ = world.crash()
        #expect(world.engine(.partialMeasured(.success(1_000))).placement != nil)
        world.engine(.placed(.success(PlacedFile(path: "/tmp/files/film.mp4", leavesPartialFile: false))))
        #expect(world.facts.bytesDone == 1_000 && world.facts.bytesTotal == 1_000)
    }

    @Test func aRetryAfterAMismatchBypassesCaches() throws {
        var world = MachineFixture.download { $0.download?.expectedDigest = Self.digest }
        #expect(world.feed(.turnGranted).exchange?.headers.single("Cache-Control") == nil)
        world.engine(.receiving(.file()))
        world.engine(.written(1_000, complete: true))
        world.engine(.placed(.failure(TransferFailure(.digestMismatch, "wrong"))))
        #expect(world.feed(.turnGranted).exchange?.headers.single("Cache-Control") == "no-cache")
        // Whole files without ranges are no mismatch.
        var (ignored, plan) = interrupted()
        ignored.engine(.head(.file()))
        ignored.engine(.receiving(.file()))
        ignored.engine(.written(400, complete: false))
        plan = resume(&ignored)
        #expect(plan != nil && plan?.headers.single("Cache-Control") == nil)
    }

    @Test func aResponseWithoutDateHasItsTimeOfReceipt() {
        let old = ResponseHead.ok(200, [HeaderField("Last-Modified", "Thu, 14 Jan 2027 08:00:00 GMT")])
        let now = WallTime(seconds: 1_800_100_000)
        #expect(ValidatorReading.validators(from: old).isSoft)
        #expect(!ValidatorReading.validators(from: old.dated(by: now)).isSoft)
        let dated = ResponseHead.file()
        #expect(dated.dated(by: now) == dated)
    }

    /// Nodes of one server often differ in their entity tags. The message says what helps, as after lost connections.
    @Test(arguments: [400, 50_000_000] as [Int64]) func alternatingTagsAreNamedAtTheEnd(received: Int64) {
        var world = MachineFixture.download()
        var responses = 0
        for _ in 0..<200 where !world.state.isEnded {
            switch world.machine.step {
            case .downloading(nil):
                world.engine(.receiving(.file(tag: responses % 2 == 0 ? "\"one\"" : "\"two\"", length: 100_000_000)))
                responses += 1
                if case .downloading = world.machine.step { world.engine(.written(received, complete: false)) }
            case .downloading: world.engine(.refused(.changed, .ok(412)))
            case .measuring: world.engine(.partialMeasured(.success(received)))
            case .stopping: world.engine(.exchangeEnded(ExchangeOutcome(ending: .cancelled)))
            default:
                world.now = world.now + .seconds(900)
                world.feed(.due)
                if world.machine.step == nil { world.feed(.turnGranted) }
            }
        }
        guard case .failed(let failure) = world.state else { return #expect(Bool(false), "\(world.state)") }
        #expect(failure.code == .contentChanged)
        for words in ["(ETag)", "--checksum"] { #expect(failure.message.contains(words), "\(failure)") }
    }
}
