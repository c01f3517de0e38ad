import LonghaulCore

/// Submits, then watches until everything has ended, a signal comes, or nothing more will happen by itself.
struct AttachedRun {
    struct Outcome: Equatable, Sendable {
        var status: ExitStatus
        /// The submitted transfers, in order.
        var ids: [TransferID]
    }

    private let world: World
    private let session: SessionID
    private var report: any Report
    private var book: WatchBook
    private var ids: [TransferID] = []
    /// Whether one of those that were submitted may begin now, as far as they say themselves.
    private var mayBegin = false
    /// Where the body goes, when this command is the one that wants it.
    private let output: BodyOutput?
    /// What is said of a transfer that is told to be gone.
    private var departure = "was removed by someone"
    private var heads: HeadsView?
    /// Those whose key was taken already, of which nothing was told yet.
    private var unseen: Set<TransferID> = []
    private var retryNotice = RetryNotice()
    /// Told of each transfer that was accepted.
    private var onAccepted: @Sendable (TransferID) -> Void = { _ in }

    /// Why the run is over, and what the person can do next.
    private struct Ending {
        var status: ExitStatus
        var hint: String?
    }

    init(
        world: World, session: SessionID, report: any Report, book: WatchBook = WatchBook(), output: BodyOutput? = nil,
        heads: HeadsView? = nil
    ) {
        self.world = world
        self.session = session
        self.report = report
        self.book = book
        self.output = output
        self.heads = heads
    }

    /// Submits and, unless `detaches`, stays until the transfers have ended.
    mutating func submit(
        _ source: @escaping OrderSource, detaches: Bool, onAccepted: @escaping @Sendable (TransferID) -> Void = { _ in }
    ) async -> Outcome {
        self.onAccepted = onAccepted
        let status = await run { [world, session] tell in
            await Submitter(world: world, session: session, isAttended: !detaches, tell: tell).run(source)
        } next: { run in
            if detaches || run.book.isFinished { return .end(run.detached()) }
            return .watch(Self.selections(of: run.ids))
        }
        return Outcome(status: status, ids: ids)
    }

    /// Watches what is there.
    mutating func watch(_ selection: TransferSelection) async -> ExitStatus {
        if case .group = selection { departure = "is not in the group any more" }
        return await run { tell in
            tell(.submissionEnded(nil))
        } next: { _ in
            .watch([selection])
        }
    }

    /// Only what was submitted is watched, however much else the session holds. A watch of many is told in one piece.
    private static func selections(of ids: [TransferID]) -> [TransferSelection] {
        stride(from: 0, to: ids.count, by: watchLimit).map { start in
            .ids(Array(ids[start..<min(start + watchLimit, ids.count)]))
        }
    }

    private static let watchLimit = 20_000

    private enum Next {
        /// Each over a connection of its own.
        case watch([TransferSelection])
        case end(Ending)
    }

    private mutating func run(
        submitting: @escaping @Sendable (@escaping @Sendable (AttachedEvent) -> Void) async -> Void,
        next: (AttachedRun) -> Next
    ) async -> ExitStatus {
        let (events, continuation) = AsyncStream<AttachedEvent>.makeStream()
        let tell: @Sendable (AttachedEvent) -> Void = { continuation.yield($0) }
        let signals = world.signals()
        let world = world
        let session = session
        let isBrief = report.isBrief && output == nil && heads == nil
        let output = output
        return await withTaskGroup(of: Void.self) { group in
            defer { group.cancelAll() }
            group.addTask { await submitting(tell) }
            group.addTask { for await signal in signals { tell(.signal(signal)) } }
            if let output { group.addTask { for await end in output.ends { tell(.outputEnded(end)) } } }
            if world.console.canRedraw {
                group.addTask {
                    while !Task.isCancelled {
                        await world.pause(.milliseconds(100))
                        tell(.tick)
                    }
                }
            }
            for await event in events {
                if case .update(let update) = event { await heads?.tell(update.changed) }
                if case .submissionEnded(nil) = event {
                    switch next(self) {
                    case .end(let ending): return finish(ending)
                    case .watch(let selections):
                        for selection in selections {
                            group.addTask {
                                await Watcher(world: world, session: session, isBrief: isBrief, tell: tell)
                                    .run(selection)
                            }
                        }
                    }
                } else if let ending = handle(event) {
                    return finish(ending)
                }
            }
            return finish(Ending(status: book.status))
        }
    }

    private mutating func finish(_ ending: Ending) -> ExitStatus {
        heads?.end()
        report.finish(book, status: ending.status, now: world.now())
        if let hint = ending.hint { report.hint(hint) }
        return ending.status
    }

    /// Answers one event; an ending ends the run.
    private mutating func handle(_ event: AttachedEvent) -> Ending? {
        switch event {
        case .answered(let orders, let answers):
            for (order, answer) in zip(orders, answers) { note(order, answer) }
        case .submissionEnded(nil), .tick: break
        case .submissionEnded(let failure?), .watchFailed(let failure):
            report.problem(nil, failure)
            return Ending(status: book.status.joined(with: ExitStatus(failure.code)), hint: stillRunning())
        case .update(let update):
            note(update)
            for transfer in update.changed {
                if let failure = output?.hear(transfer) { return giveUp(failure) }
            }
            // What has come is still to be read.
            if book.isFinished, output == nil || book.status != .success { return Ending(status: book.status) }
            if book.needsPerson && !book.followsNew { return leaveToPerson() }
        case .outputEnded(.written): return Ending(status: book.status)
        case .outputEnded(.closed): return Ending(status: .pipeClosed)
        case .outputEnded(.failed(let failure)): return giveUp(failure)
        case .notice(let sentence): report.notice(sentence)
        case .signal(.resized): report.resized()
        case .signal(.interrupt): return Ending(status: .interrupted, hint: stillRunning())
        case .signal(.terminate): return Ending(status: .terminated, hint: stillRunning())
        case .signal(.hangUp): return Ending(status: .hungUp, hint: stillRunning())
        }
        report.refresh(book, now: world.now())
        return nil
    }

    private mutating func giveUp(_ failure: TransferFailure) -> Ending {
        report.problem(nil, failure)
        return Ending(status: ExitStatus(failure.code))
    }

    private mutating func note(_ order: Order, _ answer: SubmissionAnswer) {
        switch (order, answer) {
        case (.refused(let subject, let failure), _), (.transfer(_, let subject), .refused(let failure)):
            book.refuse(failure)
            report.problem(subject, failure)
        case (.transfer(let spec, _), .accepted(let id)):
            let isLate = spec.options.earliestBeginDate.map { $0 > world.now() } ?? false
            let isChained = spec.options.predecessor != nil
            if !isLate, !isChained, spec.options.conditions == ConditionRules() { mayBegin = true }
            follow(id)
            report.submitted(id, spec, isNew: true)
        case (.transfer(let spec, _), .existing(let id)):
            mayBegin = true
            follow(id)
            if spec.options.key != nil { unseen.insert(id) }
            report.submitted(id, spec, isNew: false)
        }
    }

    private mutating func follow(_ id: TransferID) {
        ids.append(id)
        book.follow(id)
        onAccepted(id)
        output?.begin(id)
    }

    private mutating func note(_ update: WatchUpdate) {
        let now = world.now()
        if update.beginsList { book.beginList() }
        for var transfer in update.changed {
            if output != nil { transfer.endsWithCommand() }
            guard let change = book.apply(transfer) else { continue }
            report.changed(change, now: now)
            let ends = output != nil
            if let said = retryNotice.sentence(about: transfer, in: session, endsWithCommand: ends) {
                report.notice(said)
            }
            if unseen.remove(transfer.id) != nil { tellOfFailureBefore(transfer) }
        }
        for success in update.succeeded where book.succeed(success.id) { report.succeeded(success) }
        for id in update.removed where book.remove(id) { report.notice("\(ShortID.text(id)) \(departure)") }
        guard update.completesList else { return }
        for id in book.completeList() { report.notice("\(ShortID.text(id)) is not in the queue any more") }
    }

    /// Whoever submits it once more may take the old failure for one of now.
    private mutating func tellOfFailureBefore(_ transfer: TransferSnapshot) {
        guard case .failed = transfer.state else { return }
        let name = ShortID.text(transfer.id)
        let retry = session.hint("retry", transfer.id)
        report.notice("\(name) had failed before; \(retry) tries it again, --if-key-exists replace begins another")
    }

    private func detached() -> Ending {
        Ending(
            status: book.status,
            hint: stillRunning(
                opening: mayBegin
                    ? "Running in the background."
                    : "Kept in the background until the time and the conditions are right."))
    }

    /// Every transfer left waits for credentials: nothing more happens by itself, and a script must not hang.
    private mutating func leaveToPerson() -> Ending {
        for transfer in book.live.values.sorted(by: { $0.sequence < $1.sequence }) {
            guard case .waiting(let waiting) = transfer.state else { continue }
            let failure = waiting.failure ?? TransferFailure(.credentialsRequired, "the server wants credentials")
            report.problem(transfer.name, failure)
        }
        let status = book.status.joined(with: .credentials)
        return Ending(status: status, hint: stillRunning(opening: "Kept, waiting for credentials."))
    }

    private func stillRunning(opening: String = "Still running in the background.") -> String? {
        let live = (Array(book.queued) + book.live.keys).sorted()
        // With `-o -` it ends with the command.
        guard !live.isEmpty, output == nil else { return nil }
        let session = session.hint
        if book.queued.isEmpty, book.live.values.allSatisfy({ $0.state == .paused }) {
            return "Kept, paused.\n  Resume: longhaul resume\(session)"
                + (live.count <= 3 ? live.map { " " + ShortID.text($0) }.joined() : " --all")
        }
        guard live.count <= 3 else {
            return "\(opening)\n  See them:  longhaul watch\(session)\n  Pause one: longhaul pause\(session) ID"
        }
        let names = live.map { " " + ShortID.text($0) }.joined()
        let isLost = book.live.values.contains(where: \.losesBytesWhenStopped)
        return "\(opening)\n  See it:   longhaul watch\(session)\(names)\n  Pause it: longhaul pause\(session)\(names)"
            + (isLost ? " (it cannot be resumed, and begins anew)" : "")
    }
}
