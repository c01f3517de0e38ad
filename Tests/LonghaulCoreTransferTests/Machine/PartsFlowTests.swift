import Testing

@testable import LonghaulCore

/// Downloads over several connections: a file with holes, and a map of it.
@Suite struct PartsFlowTests {
    /// Ranges of more than one overlap.
    private static let map = SegmentMap([0..<20_000, 50_000..<70_000])

    private func running(segments: Int? = 4, length: Int64 = 1_000) -> MachineFixture {
        var world = MachineFixture.download { $0.options.segments = segments }
        world.feed(.turnGranted)
        world.engine(.receiving(.file(length: length)))
        return world
    }

    private func plan(_ actions: [TransferAction]) -> (PartialPlan, ExchangePlan)? {
        guard case .start(.exchange(let plan))? = actions.first, case .partial(let partial) = plan.sink else {
            return nil
        }
        return (partial, plan)
    }

    @Test func theFileGetsHolesOnlyWhenThatIsNoted() {
        var world = running()
        #expect(world.engine(.parts(SegmentMap([0..<100]))) == [.release(.openSegments)])
        #expect(world.facts.download.segments?.front == 100)
        #expect(world.engine(.parts(SegmentMap([0..<200, 500..<700]))) == [])
        #expect(world.facts.bytesDone == 400)
    }

    /// The connection breaks, or is paused, after the loop has noted that holes will come.
    @Test(arguments: [true, false]) func breakBeforeTheFirstHoleLosesNothing(isPaused: Bool) throws {
        var world = running()
        world.engine(.parts(SegmentMap([0..<100])))
        if isPaused { world.feed(.command(.pause)) }
        world.engine(.written(400, complete: false))
        #expect(world.facts.download.segments == nil && world.facts.bytesDone == 400)
    }

    /// Bytes of an invalid range may be after the end.
    @Test func resumedMapStaysWithoutHoles() throws {
        var world = running(length: 100_000)
        world.engine(.parts(SegmentMap([0..<10_000, 50_000..<51_000])))
        _ = world.crash()
        _ = try #require(plan(world.engine(.partialMeasured(.success(51_000)))))
        #expect(world.facts.download.segments == SegmentMap([0..<10_000]))
        world.engine(.written(20_000, complete: false))
        #expect(world.facts.download.segments == SegmentMap([0..<10_000]))
    }

    @Test func crashedDownloadRequestsOnlyTheFirstHole() throws {
        var world = running(length: 100_000)
        world.engine(.parts(SegmentMap([0..<10_000])))
        world.engine(.parts(Self.map))
        // The map counts after a restart of the machine as well, whatever the file's length says.
        world.bootID = "boot-2"
        #expect(world.crash().count == 1)
        let (partial, exchange) = try #require(plan(world.engine(.partialMeasured(.success(100_000)))))
        #expect(exchange.headers.single("Range") == "bytes=15904-54095", "both ends of the hole are compared")
        #expect(exchange.headers.single("If-Range") == "\"one\"")
        let resume = try #require(partial.resume)
        #expect(resume.length == 20_000 && resume.overlap == 4_096 && resume.end == 54_096 && resume.held == 35_904)
        #expect(resume.map == SegmentMap([0..<20_000, 54_096..<70_000]) && world.facts.download.segments == resume.map)
    }

    /// A range after a hole is dropped if it is no longer than the overlap.
    @Test func shortRangesAreFetchedAgain() throws {
        var world = running(length: 100_000)
        world.engine(.parts(SegmentMap([0..<200, 50_000..<54_096, 60_000..<64_097])))
        _ = world.crash()
        let (partial, exchange) = try #require(plan(world.engine(.partialMeasured(.success(100_000)))))
        #expect(exchange.headers.single("Range") == "bytes=0-64095")
        #expect(partial.resume?.map == SegmentMap([0..<200, 64_096..<64_097]))
    }

    @Test func digestProvesRangesWithoutComparison() throws {
        var world = MachineFixture.download { spec in
            guard case .download(var download) = spec.work else { return }
            download.expectedDigest = Digest(algorithm: .sha256, bytes: [UInt8](repeating: 1, count: 32))
            spec.work = .download(download)
        }
        world.feed(.turnGranted)
        world.engine(.receiving(.file(length: 100_000)))
        world.engine(.parts(Self.map))
        _ = world.crash()
        let (partial, _) = try #require(plan(world.engine(.partialMeasured(.success(100_000)))))
        #expect(partial.resume?.map == Self.map && partial.mirrors.isProvenByDigest)
    }

    @Test func aFileThatIsShorterThanItsMapLostWhatLayBeyond() throws {
        var world = running(length: 100_000)
        world.engine(.parts(Self.map))
        _ = world.crash()
        let (partial, _) = try #require(plan(world.engine(.partialMeasured(.success(60_000)))))
        #expect(partial.resume?.map == SegmentMap([0..<20_000, 54_096..<60_000]))
        _ = world.crash()
        let (anew, _) = try #require(plan(world.engine(.partialMeasured(.success(nil)))))
        #expect(anew.resume == nil && world.facts.download.segments == nil)
        #expect(world.facts.restartCounts.latest == .partialFileLost)
    }

    @Test func aFileWithoutHolesIsPlacedAndOneWithoutMapResumedByLength() throws {
        var world = running()
        world.engine(.parts(SegmentMap([0..<200, 500..<700])))
        let placing = world.engine(.written(1_000, complete: true))
        guard case .start(.files(.place))? = placing.first else {
            Issue.record("\(placing)")
            return
        }
        #expect(world.facts.download.segments == nil && world.facts.download.syncedLength == 200)
        // The process dies before the file has its name: within the same boot its length counts.
        _ = world.crash()
        guard case .start(.files(.place))? = world.engine(.partialMeasured(.success(1_000))).first else {
            Issue.record("not placed")
            return
        }
    }

    @Test func afterAPowerCutACompleteFileCountsAsFarAsItWasSynced() throws {
        var world = running()
        world.engine(.parts(SegmentMap([0..<200, 500..<700])))
        world.engine(.written(1_000, complete: true))
        world.bootID = "boot-2"
        _ = world.crash()
        let (partial, _) = try #require(plan(world.engine(.partialMeasured(.success(1_000)))))
        #expect(partial.resume?.length == 200 && partial.resume?.map == nil)
    }

    @Test func anotherVersionLeavesNothing() throws {
        var world = running()
        world.engine(.parts(SegmentMap([0..<200, 500..<700])))
        let (partial, _) = try #require(plan(world.engine(.refused(.changed))))
        #expect(partial.resume == nil && world.facts.download.segments == nil && world.facts.bytesDone == 0)
        #expect(partial.segments == 1, "parts of different versions reduce the download to one connection")
    }

    @Test func wholeBodyInsteadOfHoleRestartsDownload() {
        var world = running()
        world.engine(.parts(SegmentMap([0..<200, 500..<700])))
        _ = world.crash()
        world.engine(.partialMeasured(.success(700)))
        #expect(world.engine(.head(.file(tag: "\"two\""))) == [.release(.writeFromStart)])
        #expect(world.facts.download.segments == nil && world.facts.download.validators == nil)
    }

    @Test func aPauseKeepsTheMap() throws {
        var world = running()
        world.engine(.parts(SegmentMap([0..<200, 500..<700])))
        world.feed(.command(.pause))
        world.engine(.parts(SegmentMap([0..<300, 500..<700])))
        world.engine(.exchangeEnded(ExchangeOutcome(ending: .cancelled)))
        #expect(world.facts.download.segments?.front == 300 && world.facts.bytesDone == 500)
        // A first report after the pause has no effect.
        var other = running()
        other.feed(.command(.pause))
        #expect(other.engine(.parts(SegmentMap([0..<100]))) == [])
        #expect(other.facts.download.segments == nil)
    }

    @Test func connectionCountIsPassedOn() throws {
        for segments in [nil, 1, 12] as [Int?] {
            var world = MachineFixture.download { $0.options.segments = segments }
            let (partial, _) = try #require(plan(world.feed(.turnGranted)))
            #expect(partial.segments == segments)
        }
        var spec = MachineFixture.download().machine.record.spec
        spec.options.segments = 0
        #expect(throws: TransferFailure.self) { try TransferRecord.check(spec) }
    }
}
