import Testing

@testable import LonghaulCore

/// Downloads that resume another program's incomplete file.
@Suite struct ForeignFlowTests {
    private static let pin = SourcePin(size: 400, modified: 1_799_000_000_000_000_000, inode: 5, device: 1)
    private static let file = SourceFile(path: "/tmp/files/film.mp4", pin: pin)
    private static let head: ResponseHead = {
        var head = ResponseHead.file()
        head.status = 206
        head.headers.removeAll { $0.isNamed("Content-Length") }
        head.headers.append(HeaderField("Content-Range", "bytes 0-999/1000"))
        return head
    }()

    private func world(_ change: (inout DownloadSpec) -> Void = { _ in }) -> MachineFixture {
        var download = DownloadSpec(directory: "/tmp/files", fileName: "film.mp4", collision: .overwrite)
        download.foreign = ForeignPartial(file: Self.file, begunAt: WallTime(seconds: 1_798_999_000))
        change(&download)
        return MachineFixture.download { $0.work = .download(download) }
    }

    /// Copies the file, and requests the rest.
    private func copied(_ world: inout MachineFixture) -> ExchangePlan? {
        let partial = world.machine.partialPath
        #expect(
            world.feed(.turnGranted) == [
                .start(.files(.measurePartial(path: partial, directory: "/tmp/files", copying: Self.file)))
            ])
        world.engine(.checkpoint(400))
        return world.engine(.partialMeasured(.success(400))).exchange
    }

    private func point(_ plan: ExchangePlan?) -> ResumePoint? {
        guard case .partial(let partial)? = plan?.sink else { return nil }
        return partial.resume
    }

    @Test func firstResponseEstablishesVersionOfForeignFile() throws {
        var world = world()
        let plan = try #require(copied(&world))
        #expect(plan.headers.single("Range") == "bytes=0-" && point(plan)?.length == 400)
        #expect(point(plan)?.age?.begunAt == WallTime(seconds: 1_798_999_000))
        world.engine(.receiving(Self.head))
        #expect(world.facts.download.validators?.entityTag == "\"one\"" && world.facts.download.foreign == .settled)
        #expect(world.facts.bytesDone == 400 && world.facts.bytesTotal == 1_000)
        #expect(world.facts.download.syncedLength == 400)
        // From now on it is like any other download, even after a power failure.
        world.bootID = "boot-2"
        let actions = world.crash()
        #expect(
            actions.contains(.start(.files(.measurePartial(path: world.machine.partialPath, directory: "/tmp/files")))))
        let again = world.engine(.partialMeasured(.success(700))).exchange
        #expect(point(again)?.length == 400 && point(again)?.age == nil)
        #expect(again?.headers.single("If-Range") == "\"one\"")
    }

    @Test func aSmallRestIsProvedByItsEnd() {
        var world = world()
        _ = copied(&world)
        let outcome = ExchangeOutcome(
            ending: .responded, head: Self.head, disposition: .written(length: 1_000, isComplete: true))
        #expect(world.engine(.exchangeEnded(outcome)).placement?.collision == .overwrite)
        #expect(world.facts.download.foreign == .settled && world.facts.download.bootID == "boot-1")
    }

    @Test(arguments: [
        (ExchangeOutcome.Disposition.overlapDiffers, "its end"), (.refused(.changed), "its end"),
        (.refused(.unproved(.noDate)), "Last-Modified"),
        (.refused(.rangeUnusable("odd")), "only whole files"),
    ])
    func unprovenCopyFailsAndIsCleaned(disposition: ExchangeOutcome.Disposition, reason: String) throws {
        var world = world()
        _ = copied(&world)
        let actions = world.engine(
            .exchangeEnded(ExchangeOutcome(ending: .responded, head: Self.head, disposition: disposition)))
        guard case .failed(let failure) = world.state else { throw WrongState() }
        #expect(failure.code == .destinationExists && failure.message.contains(reason))
        #expect(actions.contains(.clean(.partialFile)) && world.facts.bytesDone == 0)
        // A retry starts with another copy.
        world.feed(.cleaned(.partialFile, isDone: true))
        world.feed(.command(.retry))
        #expect(copied(&world) != nil)
    }

    @Test func aDigestDecidesWhereDatesDoNot() {
        var world = world { $0.expectedDigest = Digest(algorithm: .md5, bytes: [UInt8](repeating: 1, count: 16)) }
        let plan = copied(&world)
        #expect(point(plan)?.age == nil && point(plan)?.overlap == 400)
        let before = world.machine.record
        let outcome = ExchangeOutcome(ending: .responded, head: Self.head, disposition: .overlapDiffers)
        let next = world.engine(.exchangeEnded(outcome)).exchange
        #expect(next != nil && point(next) == nil, "the download restarts, and not from a copy")
        #expect(world.machine.record.history(since: before)?.detail.contains("another program") == true)
        world.engine(.broke(.connectionLost))
        world.now = world.now + .seconds(600)
        world.feed(.due)
        #expect(point(world.feed(.turnGranted).exchange) == nil)
    }

    @Test func aBreakBeforeTheProofCostsNoSecondCopy() {
        var world = world()
        _ = copied(&world)
        world.engine(.broke(.connectionLost))
        world.now = world.now + .seconds(600)
        world.feed(.due)
        let partial = world.machine.partialPath
        #expect(world.feed(.turnGranted) == [.start(.files(.measurePartial(path: partial, directory: "/tmp/files")))])
        #expect(point(world.engine(.partialMeasured(.success(400))).exchange)?.length == 400)
        // A copy that has grown, or is missing, is recreated.
        for length in [nil, 450] as [Int64?] {
            world.engine(.broke(.connectionLost))
            world.now = world.now + .seconds(600)
            world.feed(.due)
            world.feed(.turnGranted)
            let actions = world.engine(.partialMeasured(.success(length)))
            #expect(
                actions == [.start(.files(.measurePartial(path: partial, directory: "/tmp/files", copying: Self.file)))]
            )
            #expect(world.engine(.partialMeasured(.success(400))).exchange != nil)
        }
    }

    @Test func emptyForeignFileIsNotResumed() {
        var world = world { $0.foreign?.file.pin.size = 0 }
        #expect(point(world.feed(.turnGranted).exchange) == nil)
    }

    private struct WrongState: Error {}
}
