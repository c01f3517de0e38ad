import TestSupport
import Testing

@testable import LonghaulCore

/// Another name or directory for a download that exists.
@Suite struct DestinationTests {
    private func adjustment(_ directory: String, _ name: String? = nil, retries: Bool = false) -> TransferAdjustment {
        var adjustment = TransferAdjustment()
        adjustment.destination = .init(directory: directory, fileName: name)
        adjustment.retries = retries
        return adjustment
    }

    private func refusal(_ world: inout MachineFixture, _ adjustment: TransferAdjustment) -> TransferFailure? {
        let moment = Moment(now: world.now, random: 1, bootID: "boot-1")
        let before = world.machine
        let reaction = world.machine.handle(.adjusted(adjustment), at: moment)
        if reaction.refusal != nil { #expect(world.machine == before, "a refusal changes nothing") }
        return reaction.refusal
    }

    private func path(_ world: MachineFixture, _ directory: String, isSecond: Bool = false) -> String {
        "\(directory)/\(PartialName.make(world.machine.record.id, isSecond: isSecond))"
    }

    /// A download with bytes that has stopped in this state.
    private func begun(_ state: String, length: Int64 = 600) -> MachineFixture {
        var world = MachineFixture.download()
        world.feed(.turnGranted)
        world.engine(.receiving(.file()))
        switch state {
        case "waiting": world.engine(.written(length, complete: false))
        case "paused":
            world.feed(.command(.pause))
            world.engine(.written(length, complete: false))
        case "failed":
            world.engine(.written(1_000, complete: true))
            world.engine(.placed(.failure(TransferFailure(.destinationUnwritable, "No."))))
        default: break
        }
        return world
    }

    private func move(_ actions: [TransferAction]) -> (to: String, PartialMove?)? {
        for case .start(.files(.measurePartial(let path, _, _, _, let move, _))) in actions { return (path, move) }
        return nil
    }

    private func start(_ world: inout MachineFixture) -> [TransferAction] {
        switch world.state {
        case .failed, .cancelled: world.feed(.command(.retry))
        case .paused: world.feed(.command(.resume))
        default:
            world.now = world.now + .seconds(600)
            world.feed(.due)
        }
        return world.feed(.turnGranted)
    }

    @Test(arguments: ["waiting", "paused", "failed"])
    func begunDownloadMovesBeforeItsNextAttempt(_ state: String) throws {
        var world = begun(state)
        let before = world.state
        #expect(refusal(&world, adjustment("/tmp/others", "b")) == nil)
        #expect(world.state == before)
        for _ in 0..<2 {
            let found = try #require(
                move(world.state.isEnded || world.machine.step == nil ? start(&world) : world.crash()))
            #expect(found.to == path(world, "/tmp/others"))
            #expect(found.1?.sources == [path(world, "/tmp/files")])
        }
        let isWhole = state == "failed"
        let actions = world.engine(.partialMeasured(.success(isWhole ? 1_000 : 600)))
        #expect(world.facts.download.files == PartialFiles())
        guard isWhole else {
            #expect(actions.exchange?.headers.single("Range") != nil)
            return
        }
        #expect(actions.placement?.directory == "/tmp/others" && actions.placement?.fileName == "b")
        #expect(actions.placement?.partialPath == path(world, "/tmp/others"))
    }

    @Test func runningDownloadChangesItsNameOnly() {
        var world = begun("running")
        #expect(refusal(&world, adjustment("/tmp/others"))?.message.contains("Pause it") == true)
        #expect(refusal(&world, adjustment("/tmp/files", "b")) == nil)
        #expect(world.engine(.written(1_000, complete: true)).placement?.fileName == "b")
        #expect(refusal(&world, adjustment("/tmp/files", "c"))?.code == .invalidState)
    }

    @Test func failedDownloadChangesItsDestinationOnly() {
        var world = begun("failed")
        var change = adjustment("/tmp/others")
        change.priority = 1
        #expect(refusal(&world, change)?.code == .invalidState)
        #expect(refusal(&world, TransferAdjustment(priority: 1))?.code == .invalidState)
        #expect(refusal(&world, adjustment("relative"))?.code == .invalidArgument)
        world.feed(.command(.remove))
        #expect(refusal(&world, adjustment("/tmp/others"))?.code == .invalidState)
    }

    @Test func succeededDownloadKeepsItsDestination() {
        var world = begun("running")
        world.engine(.written(1_000, complete: true))
        world.engine(.placed(.success(PlacedFile(path: "/tmp/files/film.mp4", leavesPartialFile: false))))
        for retries in [false, true] {
            #expect(refusal(&world, adjustment("/tmp/others", retries: retries))?.code == .invalidState)
        }
    }

    /// A move may have happened without being recorded, so the bytes may be in each of the directories.
    @Test func everyFormerDirectoryIsSearchedInOrder() throws {
        var world = begun("paused")
        for directory in ["/b", "/c", "/b", "/tmp/files"] { #expect(refusal(&world, adjustment(directory)) == nil) }
        let found = try #require(move(start(&world)))
        #expect(found.to == path(world, "/tmp/files"))
        #expect(found.1?.sources == ["/tmp/files", "/b", "/c"].map { path(world, $0) })
    }

    @Test func failedMoveIsRepeated() throws {
        var world = begun("failed")
        #expect(refusal(&world, adjustment("/tmp/others")) == nil)
        _ = start(&world)
        world.engine(.partialMeasured(.failure(TransferFailure(.diskFull, "Full."))))
        guard case .waiting(let waiting) = world.state else { throw Unexpected() }
        #expect(waiting.reason == .diskSpace)
        #expect(move(start(&world))?.1?.sources == [path(world, "/tmp/files")])
    }

    @Test(arguments: [ControlVerb.cancel, .remove])
    func bothDirectoriesAreCleanedUp(_ verb: ControlVerb) throws {
        var world = begun(verb == .cancel ? "paused" : "failed")
        #expect(refusal(&world, adjustment("/tmp/others")) == nil)
        #expect(world.feed(.command(verb)) == [.clean(.partialFile)])
        guard case .files(.discard(let paths))? = world.machine.work(for: .partialFile) else { throw Unexpected() }
        for directory in ["/tmp/files", "/tmp/others"] {
            let partial = path(world, directory)
            #expect(paths.contains(partial) && paths.contains(PartialName.copy(of: partial)))
        }
        world.feed(.cleaned(.partialFile, isDone: true))
        #expect(world.facts.download.files == PartialFiles())
    }

    @Test func bytesWithoutVersionAreLeftBehind() throws {
        var world = MachineFixture.download()
        #expect(refusal(&world, adjustment("/tmp/others")) == nil)
        let found = try #require(move(world.feed(.turnGranted)))
        #expect(found.1?.sources == [] && found.1?.leftovers.contains(path(world, "/tmp/files")) == true)
        #expect(world.engine(.partialMeasured(.success(nil))).exchange?.headers.single("Range") == nil)
        #expect(world.facts.download.files == PartialFiles())
    }

    @Test func keptVersionIsGivenUp() throws {
        var world = begun("paused", length: 900)
        world.machine.record.facts.bytesDone = 5 << 20
        let download = try #require(world.machine.record.spec.download)
        let isKept = world.machine.record.facts.keepVersion(from: "", download)
        #expect(isKept)
        let kept = path(world, "/tmp/files")
        #expect(refusal(&world, adjustment("/tmp/others")) == nil)
        #expect(world.facts.download.files.kept == nil)
        let found = try #require(move(start(&world)))
        #expect(found.1?.sources == [path(world, "/tmp/files", isSecond: true)])
        #expect(found.1?.leftovers.contains(kept) == true)
    }

    @Test(arguments: ["waiting", "paused", "failed"])
    func changeAndRetryAreOneStep(_ state: String) throws {
        var world = begun(state)
        #expect(refusal(&world, adjustment("/tmp/others", retries: true)) == nil)
        guard case .waiting(let waiting) = world.state else { throw Unexpected() }
        #expect(waiting.reason == .turn)
        #expect(move(world.feed(.turnGranted))?.1?.sources == [path(world, "/tmp/files")])
    }

    @Test func refusedRetryChangesNothing() {
        var world = begun("running")
        #expect(refusal(&world, adjustment("/tmp/files", "b", retries: true))?.code == .invalidState)
        world = begun("failed")
        world.machine.record.facts.cleanup = [.partialFile]
        #expect(refusal(&world, adjustment("/tmp/others", retries: true))?.code == .invalidState)
    }

    @Test func historyNamesTheNewDestination() {
        var world = begun("failed")
        let before = world.machine.record
        #expect(refusal(&world, adjustment("/tmp/others", "b")) == nil)
        #expect(world.machine.record.history(since: before)?.detail == "to /tmp/others/b")
    }
}
