import LonghaulCore

/// Submits, then watches until all transfers have ended, a signal comes, or all of them need the user.
struct AttachedRun {
    struct Outcome: Equatable, Sendable {
        var status: ExitStatus
        /// The submitted transfers, in order.
        var ids: [TransferID]
        /// The uploads among them.
        var uploads: [TransferID]
    }

    private let world: World
    private let session: SessionID
    private var report: any Report
    private var book: WatchedTransfers
    private var ids: [TransferID] = []
    private var uploads: [TransferID] = []
    /// The writer of standard output, if the body goes there.
    private let output: BodyOutput?
    /// The group of all transfers of the command.
    private let group: String?
    /// Whether transfers of a group are followed: a transfer that leaves the group still exists.
    private var isGroup = false
    private var heads: HeadsView?
    /// Transfers that had the key already, until their first update.
    private var unseen: Set<TransferID> = []
    private var retryNotice = RetryNotice()
    private var mirrorNotice = MirrorNotice()
    /// Called for each accepted transfer.
    private var onAccepted: @Sendable (TransferID) -> Void = { _ in }

    /// The end of the run, and the commands that help the user next.
    private struct Ending {
        var status: ExitStatus
        var hint: String?
    }

    init(
        world: World, session: SessionID, group: String? = nil, report: any Report,
        book: WatchedTransfers = WatchedTransfers(), output: BodyOutput? = nil, heads: HeadsView? = nil
    ) {
        self.world = world
        self.session = session
        self.group = group
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
            if detaches || run.book.isFinished { return .end(await run.detached()) }
            return .watch(Self.selections(of: run.ids))
        }
        return Outcome(status: status, ids: ids, uploads: uploads)
    }

    /// Watches existing transfers.
    mutating func watch(_ selection: TransferSelection) async -> ExitStatus {
        if case .group = selection { isGroup = true }
        return await run { tell in
            tell(.submissionEnded(nil))
        } next: { _ in
            .watch([selection])
        }
    }

    /// Returns selections of only the submitted transfers, of limited size, because a watch is answered in one piece.
    private static func selections(of ids: [TransferID]) -> [TransferSelection] {
        stride(from: 0, to: ids.count, by: watchLimit).map { start in
            .ids(Array(ids[start..<min(start + watchLimit, ids.count)]))
        }
    }

    private static let watchLimit = 20_000

    private enum Next {
        /// Each over a separate connection.
        case watch([TransferSelection])
        case end(Ending)
    }

    private mutating func run(
        submitting: @escaping @Sendable (@escaping @Sendable (AttachedEvent) -> Void) async -> Void,
        next: (AttachedRun) async -> Next
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
                if case .update(let update) = event { await heads?.show(update.changed) }
                if case .submissionEnded(nil) = event {
                    switch await next(self) {
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
        guard let hint = ending.hint else { return ending.status }
        report.hint(hint)
        if !report.isBrief, !(report is JSONReport), let notice = LogoutNotice.takeOnce(world) { report.hint(notice) }
        return ending.status
    }

    /// Handles one event; returns an ending if the run ends.
    private mutating func handle(_ event: AttachedEvent) -> Ending? {
        switch event {
        case .answered(let orders, let answers):
            for (order, answer) in zip(orders, answers) { apply(order, answer) }
        case .submissionEnded(nil), .tick: break
        case .submissionEnded(let failure?), .watchFailed(let failure):
            report.problem(nil, failure)
            return Ending(status: book.status.joined(with: ExitStatus(failure.code)), hint: stillRunning())
        case .update(let update):
            apply(update)
            for transfer in update.changed {
                if let failure = output?.update(transfer) { return giveUp(failure) }
            }
            // The output may not have been read to its end.
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

    private mutating func apply(_ order: Order, _ answer: SubmissionAnswer) {
        if case .transfer(let spec, _) = order, case .upload = spec.work, let id = answer.id { uploads.append(id) }
        switch (order, answer) {
        case (.refused(let subject, let failure), _), (.transfer(_, let subject), .refused(let failure)):
            book.refuse(failure)
            report.problem(subject, failure)
        case (.transfer(let spec, _), .accepted(let id)):
            follow(id)
            report.submitted(id, spec, isNew: true)
        case (.transfer(let spec, _), .existing(let id)):
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

    private mutating func apply(_ update: WatchUpdate) {
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
            if let said = mirrorNotice.sentence(about: transfer) { report.notice(said) }
            if unseen.remove(transfer.id) != nil { reportEarlierFailure(transfer) }
        }
        for success in update.succeeded where book.succeed(success.id) { report.succeeded(success) }
        for id in update.removed where book.remove(id) {
            let name = ShortID.text(id)
            report.notice(isGroup ? tr("\(name) is no longer in the group.") : tr("\(name) was removed."))
        }
        guard update.completesList else { return }
        for id in book.completeList() { report.notice(tr("\(ShortID.text(id)) is no longer in the queue.")) }
    }

    /// A failure of an earlier submission must not look like a new one.
    private mutating func reportEarlierFailure(_ transfer: TransferSnapshot) {
        guard case .failed = transfer.state else { return }
        let name = ShortID.text(transfer.id)
        let retry = session.hint("retry", transfer.id)
        report.notice(
            tr(
                "\(name) failed earlier. \(retry) tries it again. With --if-key-exists replace, a new transfer replaces it."
            ))
    }

    private func detached() async -> Ending {
        let live = (Array(book.queued) + book.live.keys).sorted()
        return Ending(status: book.status, hint: stillRunning(opening: await background(live)))
    }

    /// Describes the state of transfers at this time. Without an answer, only that the service has them.
    private func background(_ ids: [TransferID]) async -> String {
        let submitted = tr("Submitted to the background service.")
        guard let first = ids.first, let service = try? await world.connect(false) else { return submitted }
        defer { service.close() }
        var reason: String?
        for id in ids.prefix(Self.fewTransfers) {
            guard let transfer = try? await service.show(id, in: session).snapshot else { return submitted }
            // A transfer that no limit delays starts in a moment.
            guard case .waiting(let waiting) = transfer.state, waiting.reason != .turn || transfer.turnLimit != nil
            else {
                return tr("Running in the background.")
            }
            reason = reason ?? StateText.phrase(transfer, in: session, now: world.now())
        }
        guard let reason else { return submitted }
        return ids.count == 1
            ? tr("\(ShortID.text(first)) in the background: \(reason).") : tr("Waiting in the background: \(reason).")
    }

    /// The number of transfers that are queried for one hint.
    private static let fewTransfers = 3

    /// All remaining transfers wait for credentials: nothing changes without the user, and a script must not hang.
    private mutating func leaveToPerson() -> Ending {
        for transfer in book.live.values.sorted(by: { $0.sequence < $1.sequence }) {
            guard case .waiting(let waiting) = transfer.state else { continue }
            let failure =
                waiting.failure ?? TransferFailure(.credentialsRequired, tr("The server requires credentials."))
            report.problem(transfer.name, failure.namingNetrc(for: transfer.url, world))
        }
        let status = book.status.joined(with: .credentials)
        return Ending(status: status, hint: stillRunning(opening: tr("Waiting for credentials in the background.")))
    }

    private func stillRunning(opening: String? = nil) -> String? {
        let live = (Array(book.queued) + book.live.keys).sorted()
        // With `-o -`, the transfer ends with the command.
        guard !live.isEmpty, output == nil else { return nil }
        let isNamed = live.count <= 3
        let names = live.prefix(3).map { " " + ShortID.text($0) }.joined()
        /// - Parameter rest: The operand for more transfers than the command can name.
        func command(_ word: String, _ rest: String) -> String {
            if isNamed { return session.hint(word) + names }
            return group == nil ? session.hint(word) + rest : session.hint(word, group: group)
        }
        if book.queued.isEmpty, book.live.values.allSatisfy({ $0.state == .paused }) {
            let resume = command("resume", " --all")
            return tr("The transfers are paused.") + "\n  " + tr("Resume: \(resume)")
        }
        let isLost = isNamed && book.live.values.contains(where: \.losesBytesWhenStopped)
        let pause = command("pause", " ID")
        // The kernel kills the other processes of a PID namespace with the first one (pid_namespaces(7)).
        let stops =
            world.examineLogout().isFirstProcess
            ? tr(
                "The container ends with this command. The transfers resume with the next command in a container with the same state directory."
            ) : nil
        return [
            stops ?? opening ?? stillLive, "  " + tr("Watch: \(command("watch", ""))"),
            "  "
                + (isLost
                    ? tr("Pause: \(pause) (cannot be resumed; restarts from the beginning)") : tr("Pause: \(pause)")),
        ].joined(separator: "\n")
    }

    /// The state of the transfers that the command leaves.
    private var stillLive: String {
        let waits = book.live.values.allSatisfy { if case .waiting = $0.state { true } else { $0.state == .paused } }
        return waits && !book.live.isEmpty
            ? tr("Still waiting in the background.") : tr("Still running in the background.")
    }
}

extension SubmissionAnswer {
    fileprivate var id: TransferID? {
        switch self {
        case .accepted(let id), .existing(let id): id
        case .refused: nil
        }
    }
}
