import TestSupport
import Testing

@testable import LonghaulCore

@Suite struct TusFlowTests {
    private let location = HeaderField("Location", "/files/abc")

    /// Returns an upload that was discovered and created, and is being sent from byte 0.
    private func patching(_ extensions: String = "creation,termination") -> MachineFixture {
        var world = MachineFixture.tus()
        world.feed(.turnGranted)
        world.engine(.sourcesInspected([.success(MachineFixture.pin)]))
        world.engine(.ended(.tus(204, [HeaderField("Tus-Extension", extensions)])))
        world.engine(.ended(.tus(201, [location])))
        return world
    }

    /// Breaks the connection and passes the wait with an unchanged file: the HEAD request is in progress.
    private func askingAgain(_ world: inout MachineFixture, sent: Int64 = 600) -> ExchangePlan? {
        world.engine(.broke(.connectionLost, bytesSent: sent))
        world.now = world.now + .seconds(900)
        world.feed(.due)
        world.feed(.turnGranted)
        return world.engine(.sourcesInspected([.success(MachineFixture.pin)])).exchange
    }

    @Test func anUploadIsDiscoveredCreatedAndSentInOnePatch() throws {
        var world = MachineFixture.tus()
        world.feed(.turnGranted)
        let options = try #require(world.engine(.sourcesInspected([.success(MachineFixture.pin)])).exchange)
        #expect(options.method == "OPTIONS" && options.headers.single("Tus-Resumable") == nil)
        let post = try #require(world.engine(.ended(.tus(204))).exchange)
        #expect(post.method == "POST" && post.headers.single("Upload-Length") == "1000")
        #expect(post.headers.single("Upload-Metadata") == "filename c291cmNl")
        let patch = try #require(world.engine(.ended(.tus(201, [location]))).exchange)
        #expect(patch.method == "PATCH" && patch.url == "http://example.org/files/abc")
        #expect(patch.headers.single("Upload-Offset") == "0" && patch.body?.length == 1_000)
        world.engine(.lastBytesHeld)
        #expect(world.state == .awaitingResponse)
        world.engine(.ended(.tus(204, offset: 1_000)))
        #expect(world.state == .succeeded)
    }

    @Test func interruptedUploadResumesAtServerOffset() throws {
        var world = patching()
        #expect(askingAgain(&world)?.method == "HEAD")
        let patch = try #require(world.engine(.ended(.tus(200, offset: 400))).exchange)
        #expect(patch.headers.single("Upload-Offset") == "400")
        #expect(
            patch.body?.segments == [
                .file(SourceFile(path: "/tmp/source", pin: MachineFixture.pin), offset: 400, length: 600)
            ])
        #expect(world.facts.bytesDone == 400)
    }

    @Test func aLostFinalAnswerIsFoundByAsking() {
        var world = patching()
        world.engine(.lastBytesHeld)
        _ = world.crash()
        world.engine(.sourcesInspected([.success(MachineFixture.pin)]))
        world.engine(.ended(.tus(200, offset: 1_000)))
        #expect(world.state == .succeeded)
    }

    @Test func anUploadThatIsGoneAfterEverythingWasSentHasAnUnknownOutcome() {
        var world = patching()
        world.engine(.lastBytesHeld)
        _ = askingAgain(&world, sent: 1_000)
        world.engine(.ended(.tus(404)))
        guard case .failed(let failure) = world.state else { return #expect(Bool(false), "\(world.state)") }
        #expect(failure.code == .outcomeUnknown)
    }

    @Test func missingUploadIsRecreatedTwiceThenFails() {
        var world = patching()
        for _ in 0..<2 {
            #expect(askingAgain(&world)?.method == "HEAD")
            #expect(world.engine(.ended(.tus(410))).exchange?.method == "POST")
            world.engine(.ended(.tus(201, [location])))
        }
        _ = askingAgain(&world)
        world.engine(.ended(.tus(410)))
        guard case .failed(let failure) = world.state else { return #expect(Bool(false), "\(world.state)") }
        #expect(failure.code == .uploadGone)
    }

    @Test func anAnswerWithoutOffsetIsNeverBelieved() {
        var world = patching()
        #expect(world.engine(.ended(.tus(204))).exchange?.method == "HEAD")
    }

    @Test func aConflictIsSettledByAsking() {
        var world = patching()
        #expect(world.engine(.ended(.tus(409))).exchange?.method == "HEAD")
        #expect(world.engine(.ended(.tus(200, offset: 100))).exchange?.headers.single("Upload-Offset") == "100")
    }

    /// tusdotnet responds with 409 while it holds the lock of an earlier request.
    @Test(arguments: [409, 460]) func refusedRightOffsetIsSentAgainLater(status: Int) {
        var world = patching()
        for round in 0..<5 {
            let pause = HeaderField("Retry-After", "\(round)")
            #expect(world.engine(.ended(.tus(status, [pause]))).exchange?.method == "HEAD")
            #expect(world.engine(.ended(.tus(200, offset: 0))).exchange == nil, "a new upload would lose this one")
            guard case .waiting(let waiting) = world.state else { return #expect(Bool(false), "\(world.state)") }
            #expect(waiting.reason == .serverBusy && waiting.failure?.origin == .status(status))
            #expect(waiting.until.map { $0 > world.now } == true)
            world.now = world.now + .seconds(3_600)
            world.feed(.due)
            world.feed(.turnGranted)
            #expect(world.engine(.sourcesInspected([.success(MachineFixture.pin)])).exchange?.method == "HEAD")
            #expect(world.engine(.ended(.tus(200, offset: 0))).exchange?.method == "PATCH")
        }
    }

    @Test func lockedUploadIsRetriedLater() {
        var world = patching()
        #expect(askingAgain(&world)?.method == "HEAD")
        #expect(world.engine(.ended(.tus(409))).exchange == nil)
        guard case .waiting(let waiting) = world.state else { return #expect(Bool(false), "\(world.state)") }
        #expect(waiting.reason == .retry && waiting.failure?.code == .serverBusy)
    }

    @Test func forbiddenPatchIsNotRepeated() {
        var world = patching()
        #expect(world.engine(.ended(.tus(403))).exchange?.method == "HEAD")
        #expect(world.engine(.ended(.tus(200, offset: 0))).exchange == nil)
        guard case .failed(let failure) = world.state else { return #expect(Bool(false), "\(world.state)") }
        #expect(failure.code == .forbidden && failure.origin == .status(403))
        world.feed(.command(.retry))
        world.feed(.turnGranted)
        #expect(world.engine(.sourcesInspected([.success(MachineFixture.pin)])).exchange?.method == "HEAD")
        #expect(world.engine(.ended(.tus(200, offset: 0))).exchange?.method == "PATCH", "the user asked for it")
    }

    @Test func forbiddenPatchOfCompleteUploadSucceeds() {
        var world = patching()
        world.engine(
            .exchangeEnded(ExchangeOutcome(ending: .responded, head: .tus(403), requestLeft: true, bytesSent: 1_000)))
        world.engine(.ended(.tus(200, offset: 1_000)))
        #expect(world.state == .succeeded)
    }

    @Test func aServerThatGoesBackwardsForEverIsGivenUp() {
        var world = patching()
        world.engine(.ended(.tus(204, offset: 600)))
        for _ in 0..<2 {
            _ = askingAgain(&world)
            #expect(world.engine(.ended(.tus(200, offset: 100))).exchange?.method == "PATCH")
            world.machine.record.facts.upload.acknowledged = 600
        }
        _ = askingAgain(&world)
        #expect(world.engine(.ended(.tus(200, offset: 100))).exchange?.method == "POST")
    }

    @Test func anUploadOfAnotherLengthIsNotOurs() {
        var world = patching()
        _ = askingAgain(&world)
        world.engine(.ended(.tus(200, offset: 5, [HeaderField("Upload-Length", "77")])))
        guard case .failed(let failure) = world.state else { return #expect(Bool(false), "\(world.state)") }
        #expect(failure.code == .uploadGone)
    }

    @Test func aCreationUrlThatNeedsATrailingSlashIsFound() {
        var world = MachineFixture.tus()
        world.feed(.turnGranted)
        world.engine(.sourcesInspected([.success(MachineFixture.pin)]))
        let second = world.engine(.ended(.tus(405))).exchange
        #expect(second?.method == "OPTIONS" && second?.url == "http://example.org/files/")
        #expect(world.engine(.ended(.tus(204))).exchange?.url == "http://example.org/files/")
    }

    @Test(arguments: [
        ("http://example.org/files/abc", "at an unencrypted URL (http://example.org/files/abc)"),
        ("https://evil.example:8443/abc", "on another host (evil.example:8443)"),
    ]) func unusableLocationIsNamed(location: String, words: String) {
        var facts = UploadFacts()
        var head = ResponseHead.tus(201, [HeaderField("Location", location)])
        head.effectiveURL = "https://example.org/files"
        let failure = facts.recordCreated(head)
        #expect(failure?.code == .redirectRefused)
        #expect(failure?.message.contains(words) == true, "\(String(describing: failure))")
    }

    @Test func anUploadIsNotSentToAnotherHost() {
        var world = MachineFixture.tus()
        world.feed(.turnGranted)
        world.engine(.sourcesInspected([.success(MachineFixture.pin)]))
        world.engine(.ended(.tus(204)))
        world.engine(.ended(.tus(201, [HeaderField("Location", "http://evil.example/files/abc")])))
        guard case .failed(let failure) = world.state else { return #expect(Bool(false), "\(world.state)") }
        #expect(failure.code == .redirectRefused)
    }

    @Test(arguments: [403, 404, 405]) func aServerThatDoesNotSpeakTusIsDoubted(_ status: Int) throws {
        for speaksTus in [false, true] {
            var world = MachineFixture.tus()
            world.feed(.turnGranted)
            world.engine(.sourcesInspected([.success(MachineFixture.pin)]))
            world.engine(.ended(speaksTus ? .tus(204) : .ok(status)))
            if !world.state.isEnded { world.engine(.ended(speaksTus ? .tus(status) : .ok(status))) }
            if !world.state.isEnded { world.engine(.ended(.ok(status))) }
            guard case .failed(let failure) = world.state else { return #expect(Bool(false), "\(world.state)") }
            #expect(failure.message.contains("tus server") != speaksTus, "\(failure.message)")
            #expect(failure.origin == .status(status))
        }
    }

    @Test func aTooLargeFileIsRefusedBeforeItIsSent() {
        var world = MachineFixture.tus()
        world.feed(.turnGranted)
        world.engine(.sourcesInspected([.success(MachineFixture.pin)]))
        world.engine(.ended(.tus(204, [HeaderField("Tus-Max-Size", "999")])))
        guard case .failed(let failure) = world.state else { return #expect(Bool(false), "\(world.state)") }
        #expect(failure.code == .requestRejected)
    }

    @Test func cancelDeletesServerUploadAfterExchangeEnds() throws {
        var world = patching()
        #expect(world.feed(.command(.cancel)) == [.stop])
        #expect(world.state == .cancelled)
        let actions = world.engine(.exchangeEnded(ExchangeOutcome(ending: .cancelled)))
        #expect(actions == [.clean(.remoteUpload)])
        guard case .exchange(let plan) = try #require(world.machine.work(for: .remoteUpload))
        else { throw Unexpected() }
        #expect(plan.method == "DELETE" && plan.url == "http://example.org/files/abc")
        world.feed(.cleaned(.remoteUpload, isDone: false))
        #expect(world.facts.cleanup == [.remoteUpload], "tried again later")
        world.feed(.cleaned(.remoteUpload, isDone: true))
        #expect(world.facts.cleanup.isEmpty)
    }

    @Test func cancelWithoutTerminationExtensionSendsNoDelete() {
        var world = patching("creation")
        world.feed(.command(.cancel))
        #expect(world.engine(.exchangeEnded(ExchangeOutcome(ending: .cancelled))).isEmpty)
    }

    @Test func anEmptyFileIsDoneWhenItIsCreated() {
        var world = MachineFixture.tus()
        var source = SourceFile(path: "/tmp/source", pin: MachineFixture.pin)
        source.pin.size = 0
        world = MachineFixture(
            TransferSpec(work: .upload(.tus(source, metadata: [])), method: "POST", url: "http://example.org/files"))
        world.feed(.turnGranted)
        world.engine(.sourcesInspected([.success(source.pin)]))
        world.engine(.ended(.tus(204)))
        world.engine(.ended(.tus(201, [location])))
        #expect(world.state == .succeeded)
    }

    @Test func aServerThatTakesBytesAndKeepsNoneIsGivenUp() {
        var world = patching()
        for _ in 0..<2 {
            #expect(world.engine(.ended(.tus(204, offset: 0))).exchange?.method == "HEAD")
            #expect(world.engine(.ended(.tus(200, offset: 0))).exchange?.method == "PATCH")
        }
        #expect(world.engine(.ended(.tus(204, offset: 0))).exchange?.method == "POST")
        #expect(world.facts.restarts == 1)
    }

    @Test func anUploadThatIsCreatedWhileItIsCancelledIsNotLeftBehind() {
        var world = MachineFixture.tus()
        world.feed(.turnGranted)
        world.engine(.sourcesInspected([.success(MachineFixture.pin)]))
        world.engine(.ended(.tus(204, [HeaderField("Tus-Extension", "creation,termination")])))
        world.feed(.command(.cancel))
        #expect(world.engine(.ended(.tus(201, [location]))) == [.clean(.remoteUpload)])
    }

    /// The user retries. Returns the first exchange.
    private func retried(_ world: inout MachineFixture) -> ExchangePlan? {
        #expect(world.refusal(of: .retry) == nil)
        world.feed(.turnGranted)
        return world.engine(.sourcesInspected([.success(MachineFixture.pin)])).exchange
    }

    @Test func retryAfterUnknownOutcomeCreatesNewUpload() {
        var world = patching()
        world.engine(.lastBytesHeld)
        _ = askingAgain(&world, sent: 1_000)
        world.engine(.ended(.tus(404)))
        #expect(retried(&world)?.method == "POST", "the old upload is gone: asking for it answers nothing new")
    }

    @Test func retryRecreatesUploadOfDifferentLength() {
        var world = patching()
        _ = askingAgain(&world)
        world.engine(.ended(.tus(200, offset: 5, [HeaderField("Upload-Length", "77")])))
        #expect(retried(&world)?.method == "POST")
    }

    @Test func retryQueriesServerSizeLimitAgain() {
        var world = MachineFixture.tus()
        world.feed(.turnGranted)
        world.engine(.sourcesInspected([.success(MachineFixture.pin)]))
        world.engine(.ended(.tus(204, [HeaderField("Tus-Max-Size", "999")])))
        #expect(retried(&world)?.method == "OPTIONS")
    }
}
