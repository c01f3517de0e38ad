import LonghaulCore
import LonghaulStore
import TestSupport
import Testing

@testable import LonghaulRuntime

/// Clients' requests to a session, and its replies.
@Suite struct SessionTests {
    private func keyed(_ conflict: TransferOptions.KeyConflict) -> TransferSpec {
        LoopWorld.request {
            $0.options.key = "k"
            $0.options.keyConflict = conflict
        }
    }

    @Test func aKeyThatIsTakenKeepsReplacesOrAppends() throws {
        let world = try LoopWorld()
        let first = try world.accept(keyed(.keep))
        #expect(try world.submit(keyed(.keep)) == .existing(first))
        let second = try world.accept(keyed(.replace))
        #expect(try world.state(first) == .cancelled)
        #expect(try world.submit(keyed(.keep)) == .existing(second))
        let third = try world.accept(keyed(.append))
        #expect(try world.state(second) == .running(.sending) && world.state(third) == .running(.sending))
        #expect(try world.submit(keyed(.keep)) == .existing(second))
    }

    @Test func repeatedKeyRestartsFailedTransfer() throws {
        let world = try LoopWorld()
        let first = try world.accept(keyed(.keep))
        try world.answer(.responded(404))
        #expect(try world.state(first).isEnded)
        let failed = try world.record(first)
        #expect(try world.submit(keyed(.keep)) == .existing(first))
        #expect(try world.state(first) == .running(.sending))
        #expect(try world.record(first).facts.attempts == failed.facts.attempts + 1)
        #expect(try world.loop.state.store.history(of: first).contains { $0.event == "retried" })
        try world.answer(.responded(200))
        #expect(try world.submit(keyed(.keep)) == .existing(first))
        #expect(try world.state(first) == .succeeded, "a finished one is the answer")
    }

    @Test func keyTwiceInOneMessageRestartsOnce() throws {
        let world = try LoopWorld()
        let first = try world.accept(keyed(.keep))
        world.control(.cancel, first)
        world.turn()
        let answer = world.send(.submit([keyed(.keep), keyed(.keep)]))
        guard case .submitted(let answers)? = answer else {
            return #expect(Bool(false), "\(String(describing: answer))")
        }
        #expect(answers == [.existing(first), .existing(first)])
        #expect(world.engine.runningJobs.count == 1)
    }

    @Test func restartByKeySurvivesCrash() throws {
        let temporary = try TemporaryDirectory()
        let time = ManualTime()
        let id = try {
            let world = try LoopWorld(in: temporary, at: time)
            let id = try world.accept(keyed(.keep))
            try world.answer(.responded(404))
            #expect(try world.submit(keyed(.keep)) == .existing(id))
            return id
        }()
        let world = try LoopWorld(in: temporary, at: time)
        world.turn()
        #expect(try world.state(id) == .running(.sending))
        #expect(world.engine.runningJobs.count == 1)
    }

    @Test func changedSourceTakesKeyOfFailedUpload() throws {
        let world = try LoopWorld()
        func upload(size: Int64) -> TransferSpec {
            var pin = LoopWorld.pin
            pin.size = size
            var spec = TransferSpec(
                work: .upload(.raw(SourceFile(path: "/photo", pin: pin))), method: "PUT", url: "http://a.test/")
            spec.options.key = "k"
            return spec
        }
        let first = try world.accept(upload(size: 5))
        try world.answer(.broke(.sourceChanged))
        let second = try world.accept(upload(size: 6))
        world.turn()
        #expect(try world.loop.state.transfer(first) == nil, "it could never succeed")
        #expect(try world.submit(upload(size: 6)) == .existing(second))
    }

    @Test func aTransferThatIsBeingRemovedDoesNotKeepItsKey() throws {
        let world = try LoopWorld()
        var spec = LoopWorld.download()
        spec.options.key = "k"
        let first = try world.accept(spec)
        world.control(.cancel, first)
        world.turn()
        world.control(.remove, first)
        #expect(try world.loop.state.transfer(first) != nil, "its partial file is not gone yet")
        let second = try world.accept(spec)
        world.engine.emit(try #require(world.engine.runningJobs.first).ticket, .discarded(nil))
        world.turn()
        #expect(try world.loop.state.transfer(first) == nil)
        #expect(try world.state(second) == .running(.preparing))
    }

    @Test(arguments: ["/etc/passwd", "/../store.sqlite", "/sub/body", "/"])
    func onlyStagedBodiesOfTheSessionAreItsToDelete(_ path: String) throws {
        let world = try LoopWorld()
        let staged = world.loop.state.directory.layout.staged
        let source = SourceFile(
            path: path == "/etc/passwd" ? path : staged + path, pin: LoopWorld.pin, isStaged: true)
        let answer = try world.submit(
            TransferSpec(work: .upload(.raw(source)), method: "PUT", url: "http://a.test/"))
        guard case .refused(let failure) = answer else { return #expect(Bool(false), "\(answer)") }
        #expect(failure.code == .invalidArgument)
    }

    @Test func aCommandForVeryManyTakesItsTurnsAndLetsOthersIn() throws {
        let world = try LoopWorld()
        for _ in 0..<5 { _ = world.send(.submit((0..<500).map { _ in LoopWorld.request() })) }
        let replies = Kept<SessionReply>()
        world.turn([.command(.control(.pause, .all)) { replies.keep($0) }])
        #expect(replies.all.isEmpty && world.loop.state.store.totals().paused == 1_000)
        #expect(try #require(world.loop.nextAlarm()) <= world.time.now, "the rest follows without delay")
        guard case .page(let page)? = world.send(.list(ListQuery(limit: 1))) else { return #expect(Bool(false)) }
        #expect(page.totals.paused == 1_000)
        world.turn()
        #expect(replies.all == [.controlled(ControlAnswer(changed: 2_500))])
        #expect(world.loop.state.store.totals().paused == 2_500)
    }

    @Test func aChangeOfVeryManyTakesItsTurnsAsWell() throws {
        let world = try LoopWorld()
        let ids = try (0..<3).map { _ in try world.accept(LoopWorld.request()) }
        for _ in 0..<2 { _ = world.send(.submit((0..<500).map { _ in LoopWorld.request() })) }
        let replies = Kept<SessionReply>()
        world.turn([.command(.adjust(TransferAdjustment(priority: 5), .all)) { replies.keep($0) }])
        #expect(replies.all.isEmpty)
        world.turn()
        #expect(replies.all == [.controlled(ControlAnswer(changed: 1_003))])
        #expect(try ids.allSatisfy { try world.record($0).facts.changes.priority == 5 })
    }

    @Test func aCommandForVeryManyIsRefusedWhenTheDiskIsFullInItsMiddle() throws {
        let world = try LoopWorld()
        for _ in 0..<3 { _ = world.send(.submit((0..<500).map { _ in LoopWorld.request() })) }
        let replies = Kept<SessionReply>()
        world.turn([.command(.control(.pause, .all)) { replies.keep($0) }])
        world.loop.state.store.writesLeft = 10
        world.turn()
        guard case .failed(let failure)? = replies.all.first else { return #expect(Bool(false)) }
        #expect(failure.code == .diskFull && world.loop.state.store.totals().paused == 1_000)
        world.loop.state.store.writesLeft = nil
        world.turn()
        #expect(replies.all.count == 1)
    }

    @Test func aListIsGivenInPagesWithLiveFigures() throws {
        let world = try LoopWorld()
        let ids = try (0..<5).map { _ in try world.accept(LoopWorld.request()) }
        let ticket = try #require(world.engine.runningJobs.first).ticket
        world.engine.setProgress(ExchangeProgress(sent: 40, received: 0), of: ticket)
        guard case .page(let page)? = world.send(.list(ListQuery(limit: 3))) else { return #expect(Bool(false)) }
        #expect(page.transfers.map(\.id) == Array(ids.prefix(3)) && page.hasMore && page.totals.running == 5)
        #expect(page.transfers[0].bytesDone == 40)
        #expect(world.send(.totals) == .totals(page.totals))
        // The exchange is over, and its end not processed yet: the displayed progress stays.
        world.engine.setProgress(nil, of: ticket)
        guard case .page(let again)? = world.send(.list(ListQuery(limit: 1))) else { return #expect(Bool(false)) }
        #expect(again.transfers[0].bytesDone == 40)
        let rest = world.send(.list(ListQuery(afterSequence: page.transfers[2].sequence, limit: 3)))
        guard case .page(let last)? = rest else { return #expect(Bool(false)) }
        #expect(last.transfers.map(\.id) == Array(ids.suffix(2)) && !last.hasMore)
    }

    @Test func watcherGetsListThenMergedChangesThenRemovals() throws {
        let world = try LoopWorld()
        let id = try world.accept(LoopWorld.request { $0.options.group = "g" })
        let updates = Kept<WatchUpdate>()
        world.turn([.watch(WatchToken(number: 1), .group("g")) { updates.keep($0) }])
        #expect(updates.all.first?.changed.map(\.state) == [.running(.sending)])
        let before = updates.all.count
        world.control(.pause, id)
        world.control(.resume, id)
        world.turn()
        #expect(updates.all.count == before, "changes are gathered for a tenth of a second")
        world.control(.cancel, id)
        world.turn()
        world.pass(.milliseconds(150))
        #expect(updates.all.count == before + 1)
        #expect(updates.all.last?.changed.map(\.state) == [.cancelled])
        world.control(.remove, id)
        world.pass(.milliseconds(150))
        #expect(updates.all.last?.removed == [id])
    }

    @Test func watchCanOmitQueuedTransfers() throws {
        let world = try LoopWorld()
        _ = world.send(.setLimits(SessionLimits(total: 1, perHost: 1)))
        let ids = try (0..<4).map { try world.accept(LoopWorld.request("http://a.test/\($0)")) }
        try world.answer(.responded(200))
        let gone = TransferID(now: world.time.now, random: (1, 2))
        let updates = Kept<WatchUpdate>()
        world.turn([
            .watch(WatchToken(number: 1), .ids(ids + [gone]), WatchDetail(omitsQueued: true)) { updates.keep($0) }
        ])
        let first = try #require(updates.all.first)
        #expect(first.changed.map(\.id) == Array(ids[0...2]), "one that waits is shown")
        #expect(first.removed == [gone] && first.completesList)
        try world.answer(.responded(200))
        world.pass(.milliseconds(150))
        #expect(updates.all.last?.changed.map(\.state) == [.succeeded, .running(.sending)])
    }

    @Test func aGroupsWatcherHearsOfRemovalsOfWhatItWasShownAtFirst() throws {
        let world = try LoopWorld()
        let id = try world.accept(LoopWorld.request { $0.options.group = "g" })
        try world.answer(.responded(200))
        let updates = Kept<WatchUpdate>()
        let others = Kept<WatchUpdate>()
        world.turn([
            .watch(WatchToken(number: 1), .group("g")) { updates.keep($0) },
            .watch(WatchToken(number: 2), .group("other")) { others.keep($0) },
        ])
        world.control(.remove, id)
        world.pass(.milliseconds(150))
        #expect(updates.all.last?.removed == [id])
        #expect(others.all.allSatisfy { $0.changed.isEmpty && $0.removed.isEmpty })
    }

    @Test func watcherIsUpdatedAfterClockIsSetBack() throws {
        let world = try LoopWorld()
        _ = try world.accept(LoopWorld.request())
        world.turn([.watch(WatchToken(number: 1), .all) { _ in }])
        world.time.advance(by: .seconds(-3_600))
        let next = try #require(world.loop.nextAlarm())
        #expect(next - world.time.now <= .seconds(1))
    }

    @Test func secondOwnerIsRefusedAsSessionInUse() throws {
        let temporary = try TemporaryDirectory()
        let layout = SessionLayout(directory: temporary.path + "/session")
        let first = try SessionDirectory(layout)
        #expect { _ = try SessionDirectory(layout) } throws: { ($0 as? TransferFailure)?.code == .sessionInUse }
        withExtendedLifetime(first) {}
    }

    @Test func stagedLitterIsSweptAndWhatARecordNamesIsKept() throws {
        let temporary = try TemporaryDirectory()
        let layout = SessionLayout(directory: temporary.path + "/session")
        var directory: SessionDirectory? = try SessionDirectory(layout)
        try temporary.write([1], to: "session/staged/litter")
        try temporary.write([2], to: "session/staged/wanted")
        do {
            let store = try Store(path: layout.store)
            let source = SourceFile(path: layout.staged + "/wanted", pin: LoopWorld.pin, isStaged: true)
            let spec = TransferSpec(work: .upload(.raw(source)), method: "PUT", url: "http://a.test/")
            var record = TransferRecord(
                id: TransferID(high: 1, low: 1), spec: spec, state: .paused, createdAt: WallTime(seconds: 1))
            try store.begin()
            try store.insert(&record, host: "a")
            try store.commit()
        }
        directory = nil
        _ = directory
        let runtime = try open(layout, ScriptedEngine())
        runtime.stop()
        #expect(temporary.names("session/staged") == ["wanted"])
    }

    private func open(_ layout: SessionLayout, _ engine: ScriptedEngine) throws -> SessionRuntime {
        let time = ManualTime()
        let environment = RuntimeEnvironment(now: { time.now }, random: { .random(in: 0 ... .max) }, bootID: "b") {
            _, sink in
            engine.setSink { sink([($0, $1)]) }
            return engine.whole
        }
        return try SessionRuntime.open(layout: layout, environment: environment)
    }

    @Test func stoppingUnderLoadAnswersEveryoneAndGivesTheSessionBack() async throws {
        let temporary = try TemporaryDirectory()
        let layout = SessionLayout(directory: temporary.path + "/session")
        let engine = ScriptedEngine()
        engine.answerJobs { _ in .responded(200) }
        let runtime = try open(layout, engine)
        let replies = Kept<SessionReply>()
        let threads = (0..<4).map { _ in
            Task.detached {
                for _ in 0..<200 {
                    runtime.send(.submit([LoopWorld.request()])) { replies.keep($0) }
                }
            }
        }
        runtime.send(.limits) { _ in }
        runtime.stop()
        for thread in threads { await thread.value }
        #expect(replies.all.count == 800)
        let accepted = replies.all.count { if case .submitted = $0 { true } else { false } }
        #expect(engine.isShutDown)
        #expect(throws: Never.self) { _ = try SessionDirectory(layout) }
        #expect(try Store(path: layout.store).ids(.all, ended: nil).count == accepted)
    }
}
