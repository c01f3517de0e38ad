import Testing

@testable import LonghaulCore

/// Another URL in every state, and the received bytes that are kept.
@Suite struct ReplacingTests {
    private static let fresh = Replacement(url: "http://example.org/film.mp4?signature=new")

    private func replace(_ world: inout MachineFixture, _ replacement: Replacement = fresh) -> Reaction {
        world.machine.handle(.replaced(replacement), at: Moment(now: world.now, random: 1, bootID: world.bootID))
    }

    @Test func unchangedReplacementStopsNothing() {
        var world = MachineFixture.download()
        world.feed(.turnGranted)
        let running = world.machine.record
        let reaction = replace(&world, Replacement(url: running.spec.url))
        #expect(reaction.actions.isEmpty && reaction.refusal == nil && world.machine.record == running)
    }

    /// A download with 600 of its 1000 bytes that failed.
    private func failedDownload(_ status: Int = 403) -> MachineFixture {
        var world = MachineFixture.download()
        world.feed(.turnGranted)
        world.engine(.receiving(.file()))
        world.engine(.written(600, complete: false))
        world.feed(.command(.retry))
        world.feed(.turnGranted)
        world.engine(.partialMeasured(.success(600)))
        world.engine(.refused(.status, .ok(status)))
        return world
    }

    @Test(arguments: CommandTableTests.Situation.allCases)
    func everyStateHasItsAnswer(_ situation: CommandTableTests.Situation) {
        var world = situation.make()
        let before = world.machine
        let reaction = replace(&world)
        switch situation {
        case .succeeded, .cancelled, .awaitingUnsafe:
            #expect(reaction.refusal?.code == .invalidState)
            #expect(world.machine == before, "a refused command changes nothing")
        case .paused: #expect(world.state == .paused)
        case .waiting, .failed: #expect(world.state == .waiting(Waiting(.turn, since: world.now)))
        case .running, .awaitingSafe:
            #expect(reaction.actions == [.stop])
            #expect(world.state == .waiting(Waiting(.turn, since: world.now)))
        }
        if reaction.refusal == nil { #expect(world.machine.record.spec.url == Self.fresh.url) }
    }

    @Test(arguments: [401, 403, 410]) func replacedURLResumesFailedDownload(_ status: Int) throws {
        var world = failedDownload(status)
        #expect(world.state.isEnded)
        _ = replace(&world)
        world.feed(.turnGranted)
        let plan = try #require(world.engine(.partialMeasured(.success(600))).exchange)
        #expect(plan.url == Self.fresh.url)
        #expect(plan.headers.single("If-Range") == "\"one\"" && plan.headers.single("Range") != nil)
    }

    @Test func replacedURLOfOtherVersionRestartsDownload() throws {
        var world = failedDownload()
        _ = replace(&world)
        world.feed(.turnGranted)
        world.engine(.partialMeasured(.success(600)))
        #expect(world.engine(.head(.file(tag: "\"two\""))) == [.release(.writeFromStart)])
        #expect(world.facts.bytesDone == 0 && world.facts.restarts == 1)
    }

    @Test func aDateIsNoProofInAnotherPlace() throws {
        for (url, keeps) in [("http://example.org/film.mp4?x", true), ("http://mirror.org/film.mp4", false)] {
            var world = MachineFixture.download()
            world.feed(.turnGranted)
            world.engine(
                .receiving(
                    .ok(
                        200,
                        [
                            HeaderField("Content-Length", "1000"),
                            HeaderField("Date", "Fri, 15 Jan 2027 08:00:00 GMT"),
                            HeaderField("Last-Modified", "Thu, 14 Jan 2027 08:00:00 GMT"),
                        ])))
            world.engine(.written(600, complete: false))
            _ = replace(&world, Replacement(url: url))
            world.feed(.turnGranted)
            let plan = try #require(world.engine(.partialMeasured(.success(600))).exchange)
            #expect((plan.headers.single("Range") != nil) == keeps, "\(url)")
        }
    }

    @Test func headersAreReplacedOnlyWhenTheyAreGiven() {
        var world = MachineFixture.download { $0.headers = [HeaderField("X-Key", "old", isSecret: true)] }
        _ = replace(&world)
        #expect(world.machine.record.spec.headers.single("X-Key") == "old")
        _ = replace(&world, Replacement(url: Self.fresh.url, headers: [HeaderField("X-Key", "new", isSecret: true)]))
        #expect(world.machine.record.spec.headers.single("X-Key") == "new")
        _ = replace(&world, Replacement(url: Self.fresh.url, headers: []))
        #expect(world.machine.record.spec.headers.isEmpty)
    }

    @Test(arguments: ["", "ftp://example.org/", "http://", "nonsense"])
    func invalidURLIsRefusedWithoutChange(_ url: String) {
        var world = failedDownload()
        let before = world.machine
        #expect(replace(&world, Replacement(url: url)).refusal != nil)
        #expect(world.machine == before)
    }

    @Test func aRangeCannotBeSmuggledIn() {
        var world = failedDownload()
        let headers = [HeaderField("Range", "bytes=0-")]
        #expect(replace(&world, Replacement(url: Self.fresh.url, headers: headers)).refusal?.code == .invalidArgument)
    }

    @Test func historyNamesTheNewPlaceWithoutItsSecret() {
        var world = failedDownload()
        let before = world.machine.record
        _ = replace(&world)
        let line = world.machine.record.history(since: before)
        #expect(line == HistoryLine(event: "replaced", detail: "http://example.org/film.mp4"))
    }

    @Test func aTusUploadAsksForItsOffsetUnlessItIsAtAnotherHost() throws {
        for (url, method) in [("http://example.org/files?new", "OPTIONS"), ("http://other.org/files", "OPTIONS")] {
            var world = MachineFixture.tus()
            world.feed(.turnGranted)
            world.engine(.sourcesInspected([.success(MachineFixture.pin)]))
            world.engine(.ended(.tus(204, [HeaderField("Tus-Extension", "creation")])))
            world.engine(.ended(.tus(201, [HeaderField("Location", "/files/1")])))
            world.engine(.ended(.tus(403)))
            world.engine(.ended(.tus(200, offset: 300)))
            _ = replace(&world, Replacement(url: url))
            world.engine(.exchangeEnded(ExchangeOutcome(ending: .cancelled)))
            world.feed(.turnGranted)
            let plan = world.engine(.sourcesInspected([.success(MachineFixture.pin)])).exchange
            #expect(plan?.method == method && plan?.url == url)
            let next = world.engine(
                .ended(
                    ResponseHead(
                        status: 204, headers: [HeaderField("Tus-Extension", "creation")], effectiveURL: url))
            ).exchange
            #expect(next?.method == (url.contains("other") ? "POST" : "HEAD"))
        }
    }
}
