import Testing

@testable import LonghaulCore

@Suite struct DownloadFlowTests {
    /// A download whose first attempt broke after 400 of 1000 bytes and whose second has just been granted.
    private func interrupted() -> MachineFixture {
        var world = MachineFixture.download()
        world.feed(.turnGranted)
        world.engine(.receiving(.file()))
        world.engine(.written(400, complete: false))
        world.now = world.now + .seconds(600)
        world.feed(.due)
        return world
    }

    /// Returns the history entry of a restart, and the reason in the record.
    private func restart(_ world: inout MachineFixture, by event: EngineEvent) -> (String?, RestartReason?) {
        let before = world.machine.record
        world.engine(event)
        let line = world.machine.record.history(since: before)
        #expect(line?.event == "restarted" && world.facts.restartCounts.count == before.facts.restartCounts.count + 1)
        return (line?.detail, world.facts.restartCounts.latest)
    }

    @Test func restartReasonIsRecorded() {
        var whole = interrupted()
        whole.feed(.turnGranted)
        whole.engine(.partialMeasured(.success(400)))
        let same = restart(&whole, by: .head(.file()))
        #expect(same.0 == "from byte 0: the server sends only whole files" && same.1 == .rangesIgnored)
        var changed = interrupted()
        changed.feed(.turnGranted)
        changed.engine(.partialMeasured(.success(400)))
        #expect(restart(&changed, by: .head(.file(tag: "\"two\""))).1 == .entityTagChanged)
        var lost = interrupted()
        lost.feed(.turnGranted)
        #expect(restart(&lost, by: .partialMeasured(.success(nil))).1 == .partialFileLost)
    }

    @Test(arguments: [
        ([], RestartReason.incomparable),
        (
            [
                HeaderField("Date", "Fri, 15 Jan 2027 08:00:01 GMT"), HeaderField("ETag", "\"new\""),
                HeaderField("Last-Modified", "Fri, 15 Jan 2027 08:00:00 GMT"),
            ], .tooFresh
        ),
    ])
    func unresumableDownloadReportsReason(fields: [HeaderField], reason: RestartReason) {
        var world = MachineFixture.download()
        world.feed(.turnGranted)
        world.engine(.receiving(.ok(200, fields + [HeaderField("Content-Length", "1000")])))
        #expect(TransferSnapshot(world.machine.record).losesBytesWhenStopped)
        world.engine(.written(400, complete: false))
        world.now = world.now + .seconds(600)
        world.feed(.due)
        world.feed(.turnGranted)
        #expect(restart(&world, by: .partialMeasured(.success(400))).1 == reason)
    }

    @Test func aFreshDownloadAsksForTheWholeFileUnencoded() throws {
        var world = MachineFixture.download()
        let plan = try #require(world.feed(.turnGranted).exchange)
        #expect(plan.headers.single("Range") == nil)
        #expect(plan.headers.single("Accept-Encoding") == "identity")
        #expect(world.state == .running(.preparing))
    }

    @Test func aCompleteBodyIsVerifiedPlacedAndTidied() throws {
        var world = MachineFixture.download()
        world.feed(.turnGranted)
        world.engine(.receiving(.file()))
        #expect(world.state == .running(.receiving))
        let placement = try #require(world.engine(.written(1_000, complete: true)).placement)
        #expect(placement.length == 1_000)
        #expect(world.state == .running(.verifying))
        let actions = world.engine(.placed(.success(PlacedFile(path: "/tmp/files/film.mp4", leavesPartialFile: true))))
        #expect(actions == [.clean(.partialFile)])
        #expect(world.state == .succeeded)
        world.feed(.cleaned(.partialFile, isDone: true))
        #expect(world.facts.cleanup.isEmpty)
    }

    @Test func aBodyInMemoryIsPlacedAndNoFileIsVouchedFor() throws {
        var world = MachineFixture.download()
        let plan = try #require(world.feed(.turnGranted).exchange)
        guard case .partial(let partial) = plan.sink else { return #expect(Bool(false)) }
        #expect(partial.mayBeHeld)
        let placement = try #require(world.engine(.held(1_000)).placement)
        #expect(placement.length == 1_000 && world.facts.bytesDone == 1_000)
        // Whatever the partial file contains after a crash, it may be another version.
        #expect(!world.crash().isEmpty)
        let again = try #require(world.engine(.partialMeasured(.success(1_000))).exchange)
        #expect(again.headers.single("Range") == nil && world.facts.bytesDone == 0)
    }

    @Test(arguments: [true, false]) func onlyABodyInAFileOutlivesAPlaceThatIsTaken(isHeld: Bool) throws {
        var world = MachineFixture.download()
        _ = try #require(world.feed(.turnGranted).exchange)
        _ = world.engine(isHeld ? .held(1_000) : .written(1_000, complete: true))
        world.engine(.placed(.failure(TransferFailure(.destinationExists, "The file exists."))))
        guard case .failed = world.state else { return #expect(Bool(false), "\(world.state)") }
        #expect(world.facts.bytesDone == (isHeld ? 0 : 1_000))
        #expect((world.facts.download.validators == nil) == isHeld)
    }

    @Test func aResumedBodyIsNotHeld() throws {
        var world = interrupted()
        world.feed(.turnGranted)
        let plan = try #require(world.engine(.partialMeasured(.success(400))).exchange)
        guard case .partial(let partial) = plan.sink else { return #expect(Bool(false)) }
        #expect(!partial.mayBeHeld)
    }

    @Test func aBrokenAttemptWaitsForItsRetryTime() {
        var world = MachineFixture.download()
        world.feed(.turnGranted)
        world.engine(.broke(.connectionLost))
        guard case .waiting(let waiting) = world.state else { return #expect(Bool(false), "\(world.state)") }
        #expect(waiting.reason == .retry)
        #expect(waiting.failure?.code == .connectionLost)
        world.feed(.due)
        #expect(world.state == .waiting(waiting), "the date has not come")
        world.now = waiting.until ?? world.now
        world.feed(.due)
        #expect(world.state == .waiting(Waiting(.turn, since: world.now)))
    }

    @Test func theNextAttemptMeasuresTheFileAndAsksForTheRest() throws {
        var world = interrupted()
        #expect(world.feed(.turnGranted).count == 1)
        let plan = try #require(world.engine(.partialMeasured(.success(400))).exchange)
        #expect(plan.headers.single("If-Range") == "\"one\"")
        #expect(plan.headers.single("If-Match") == "\"one\"")
        guard case .partial(let partial) = plan.sink else { return #expect(Bool(false)) }
        #expect(partial.resume?.length == 400)
    }

    @Test func theFileOutranksTheRecord() throws {
        var world = interrupted()
        world.feed(.turnGranted)
        let plan = try #require(world.engine(.partialMeasured(.success(nil))).exchange)
        #expect(plan.headers.single("Range") == nil)
        #expect(world.facts.bytesDone == 0)
    }

    @Test func afterAnotherBootOnlySyncedBytesAreTrusted() throws {
        var world = MachineFixture.download()
        world.feed(.turnGranted)
        world.engine(.receiving(.file()))
        world.engine(.checkpoint(300))
        world.bootID = "boot-2"
        #expect(!world.crash().isEmpty)
        let plan = try #require(world.engine(.partialMeasured(.success(900))).exchange)
        guard case .partial(let partial) = plan.sink else { return #expect(Bool(false)) }
        #expect(partial.resume?.length == 300)
    }

    @Test func aWholeBodyInsteadOfTheRestIsHeldUntilTheOldBytesCountForNothing() {
        var world = interrupted()
        world.feed(.turnGranted)
        world.engine(.partialMeasured(.success(400)))
        let actions = world.engine(.head(.file(tag: "\"two\"")))
        #expect(actions == [.release(.writeFromStart)])
        #expect(world.facts.download.validators == nil, "the file still holds the old version")
        #expect(world.facts.bytesDone == 0 && world.facts.restarts == 1)
        world.engine(.receiving(.file(tag: "\"two\"")))
        #expect(world.facts.download.validators?.entityTag == "\"two\"")
    }

    @Test func aSmallBodyIsAcceptedAtItsEnd() {
        var world = MachineFixture.download()
        world.feed(.turnGranted)
        #expect(world.engine(.written(1_000, complete: true)).placement?.length == 1_000)
        #expect(world.facts.download.validators?.entityTag == "\"one\"")
        #expect(world.facts.bytesTotal == 1_000)
    }

    @Test(arguments: [
        EngineEvent.refused(.changed), .refused(.lengthUnknown), .refused(.rangeUnusable("no total")),
        .exchangeEnded(ExchangeOutcome(ending: .cancelled, disposition: .overlapDiffers)),
    ])
    func unusableResumeRequestsWholeFile(_ event: EngineEvent) throws {
        var world = interrupted()
        world.feed(.turnGranted)
        world.engine(.partialMeasured(.success(400)))
        let plan = try #require(world.engine(event).exchange)
        #expect(plan.headers.single("Range") == nil)
        #expect(world.facts.download.validators == nil)
    }

    @Test func aFileThatKeepsChangingFailsInTheEnd() {
        var world = interrupted()
        world.feed(.turnGranted)
        world.engine(.partialMeasured(.success(400)))
        for _ in 0..<5 { world.engine(.refused(.changed)) }
        #expect(world.state == .running(.preparing))
        world.engine(.refused(.changed))
        guard case .failed(let failure) = world.state else { return #expect(Bool(false), "\(world.state)") }
        #expect(failure.code == .contentChanged)
    }

    @Test func aRangeBeyondACompleteFileGoesStraightToItsPlace() {
        var world = interrupted()
        world.feed(.turnGranted)
        world.engine(.partialMeasured(.success(400)))
        #expect(world.engine(.refused(.alreadyComplete)).placement != nil)
    }

    @Test func aWrongDigestIsTriedOnceMoreAndThenFails() {
        let wrong = TransferFailure(.digestMismatch, "wrong")
        var world = MachineFixture.download()
        world.feed(.turnGranted)
        world.engine(.receiving(.file()))
        world.engine(.written(1_000, complete: true))
        // Its slot was released when its exchange ended.
        #expect(world.engine(.placed(.failure(wrong))).isEmpty)
        #expect(world.state == .waiting(Waiting(.turn, since: world.now)))
        #expect(world.feed(.turnGranted).exchange != nil)
        world.engine(.receiving(.file()))
        world.engine(.written(1_000, complete: true))
        #expect(world.engine(.placed(.failure(wrong))) == [.clean(.partialFile)])
        #expect(world.state == .failed(wrong))
    }

    @Test func aFullDiskIsAnOrdinaryReasonToWait() {
        var world = MachineFixture.download()
        world.feed(.turnGranted)
        world.engine(.broke(.diskFull))
        guard case .waiting(let waiting) = world.state else { return #expect(Bool(false), "\(world.state)") }
        #expect(waiting.reason == .diskSpace)
        #expect(world.facts.failuresInARow == 0)
    }

    @Test func beingOfflineCostsNoAttempt() {
        var world = MachineFixture.download()
        for _ in 0..<20 {
            world.feed(.turnGranted)
            world.engine(.broke(.offline, requestLeft: false))
            world.feed(.networkReturned)
        }
        #expect(world.facts.failuresInARow == 0)
        #expect(world.state == .waiting(Waiting(.turn, since: world.now)))
    }

    @Test func attemptsWithoutProgressAreCountedAndProgressForgivesThem() {
        var world = MachineFixture.download { $0.options.retryLimit = 2 }
        for _ in 0..<2 { breakOnce(&world) }
        #expect(world.facts.failuresInARow == 2)
        world.feed(.turnGranted)
        world.engine(.receiving(.file()))
        world.engine(.written(10, complete: false))
        #expect(world.facts.failuresInARow == 1, "the broken attempt itself counts, the earlier ones do not")
        world.now = world.now + .seconds(900)
        world.feed(.due)
        for _ in 0..<2 where !world.state.isEnded {
            world.feed(.turnGranted)
            world.engine(.partialMeasured(.success(10)))
            world.engine(.broke(.timedOut))
            world.now = world.now + .seconds(900)
            world.feed(.due)
        }
        guard case .failed(let failure) = world.state else { return #expect(Bool(false), "\(world.state)") }
        #expect(failure.code == .timedOut)
    }

    private func breakOnce(_ world: inout MachineFixture) {
        world.feed(.turnGranted)
        world.engine(.broke(.connectionRefused, requestLeft: false))
        world.now = world.now + .seconds(900)
        world.feed(.due)
    }

    /// Returns a resumed download whose server sends a digest of the whole file, with the first part and now.
    private func digestOffered(_ first: String, then second: String) -> (MachineFixture, [TransferAction]) {
        var world = MachineFixture.download()
        world.feed(.turnGranted)
        var head = ResponseHead.file()
        head.headers.append(HeaderField("Repr-Digest", "sha-256=:\(first)Qpj8HBSa+/TImW+5JCeuQeRkm5NMpJWZG3hSuFU=:"))
        world.engine(.receiving(head))
        world.engine(.written(400, complete: false))
        world.now = world.now + .seconds(600)
        world.feed(.due)
        world.feed(.turnGranted)
        world.engine(.partialMeasured(.success(400)))
        var other = ResponseHead.ok(206)
        other.headers.append(HeaderField("Repr-Digest", "sha-256=:\(second)Qpj8HBSa+/TImW+5JCeuQeRkm5NMpJWZG3hSuFU=:"))
        let actions = world.engine(.receiving(other))
        return (world, actions)
    }

    @Test func changedReprDigestRestartsDownload() {
        var (world, actions) = digestOffered("47DE", then: "AAAA")
        #expect(actions == [.stop])
        #expect(world.facts.restarts == 1)
        world.engine(.written(410, complete: false))
        #expect(world.facts.download.validators == nil && world.facts.bytesDone == 0)
        #expect(world.state == .waiting(Waiting(.turn, since: world.now)))
        #expect(world.feed(.turnGranted).exchange?.headers.single("Range") == nil)
    }

    @Test func equalReprDigestContinuesDownload() {
        let (world, actions) = digestOffered("47DE", then: "47DE")
        #expect(actions.isEmpty && world.state == .running(.receiving))
    }

    @Test func bytesWonInThisBootAreTrustedAgainAfterACrash() throws {
        var world = MachineFixture.download()
        world.feed(.turnGranted)
        world.engine(.receiving(.file()))
        world.engine(.checkpoint(300))
        world.bootID = "boot-2"
        _ = world.crash()
        world.engine(.partialMeasured(.success(900)))
        world.engine(.receiving(.ok(206)))
        _ = world.crash()
        let plan = try #require(world.engine(.partialMeasured(.success(800))).exchange)
        guard case .partial(let partial) = plan.sink else { return #expect(Bool(false)) }
        #expect(partial.resume?.length == 800)
    }

    @Test func afterAnotherBootAFileThatIsTooLongBelongsToNoVersion() {
        var world = MachineFixture.download()
        world.feed(.turnGranted)
        world.engine(.receiving(.file()))
        world.engine(.checkpoint(1_000))
        world.bootID = "boot-2"
        _ = world.crash()
        #expect(world.engine(.partialMeasured(.success(1_200))).exchange?.headers.single("Range") == nil)
        #expect(world.facts.download.validators == nil, "the file is cut before another version is named")
    }

    @Test func completeFileOfUnknownLengthIsNotRequestedAgain() {
        var world = MachineFixture.download()
        world.feed(.turnGranted)
        let head = ResponseHead.ok(200, [HeaderField("Transfer-Encoding", "chunked")])
        world.engine(.receiving(head))
        world.engine(
            .exchangeEnded(
                ExchangeOutcome(ending: .responded, head: head, disposition: .written(length: 700, isComplete: true))))
        _ = world.crash()
        #expect(world.engine(.partialMeasured(.success(700))).placement?.length == 700)
    }
}
