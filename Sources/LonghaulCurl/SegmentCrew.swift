import LonghaulCore
import LonghaulFiles
import Synchronization

/// The exchanges that fetch one file together: the transfer's own, and helpers that fetch ranges of the same version.
///
/// It begins with the first alone, exactly as if there were no crew. Before others write to the file, what it holds is synced and
/// the loop has noted that it will have holes. Owned by the network thread.
final class SegmentCrew {
    /// How often it looks at rates and at who could do what, in nanoseconds.
    private static let usualInterval: Int64 = 250_000_000
    /// How long what was written may be unknown to the loop.
    static let checkpointInterval: Int64 = 1_000_000_000
    /// Less than this is not worth a crew.
    private static let leastRest: Int64 = 4 << 20
    /// Who breaks off after less is not replaced.
    private static let leastWon: Int64 = 64 << 10
    /// How long a connection is seen before its rate counts.
    private static let rateSpan: Int64 = 1_000_000_000

    private enum Phase {
        /// The first is alone, and the file has no holes.
        case alone
        /// What there is is synced before the file may get holes.
        case preparing
        /// The loop notes that.
        case asking
        case open
        /// All end; then this is told.
        case ending(ExchangeOutcome)
    }

    unowned let first: Exchange
    let target: PartialTarget
    let version: SegmentVersion
    /// The part of the remote file that is the whole here.
    let part: FilePart?
    private var phase: Phase
    var board: SegmentBoard
    var policy: SegmentPolicy
    /// Where its members ask.
    var places: CrewPlaces
    /// How many connections the loop allows, and how many it was asked for.
    private(set) var grant = (allowed: 1, asked: 1)
    /// What the first one's way was like when that was last seen.
    private(set) var way: WaySight?
    /// Whether somebody said how many connections there are to be.
    private let isChosen: Bool
    /// Since when, and from which byte on, each rate is measured.
    private var clocks: [Ticket: (since: Int64, position: Int64)] = [:]
    var notes = HelperNotes()
    private(set) var syncs: SegmentSyncs
    /// `nil` if a digest will prove the whole.
    var seams: SegmentSeams?

    /// The head of an exchange is accepted and its file open; no byte has come.
    static func note(_ exchange: Exchange, _ file: PartialFile, _ head: ResponseHead) {
        if let crew = exchange.crew {
            if exchange.isHelper { crew.accept(exchange, file) }
            return
        }
        guard case .partial(let plan) = exchange.plan.sink else { return }
        // Where so many run, more connections for one take from the others. What was asked for is given all the same.
        if exchange.thread.isCrowded, plan.segments == nil, !file.isShared { return }
        exchange.crew = SegmentCrew(exchange, plan, file, head)
        guard let crew = exchange.crew else { return }
        exchange.thread.lookSoon(plan.segments == nil ? crew.lookInterval : 0)
    }

    /// `nil` where nobody could help. `file` is open and empty-handed.
    init?(_ first: Exchange, _ plan: PartialPlan, _ file: PartialFile, _ head: ResponseHead) {
        guard let missing = file.missing, first.machine.method == "GET", first.body == nil else { return nil }
        let version = SegmentVersion(head, resume: plan.resume)
        guard let total = version.validators.total, file.start + missing <= total else { return nil }
        // What makes room for others is content with one.
        let most = version.canBeSplit && !first.plan.yields ? plan.segments : 1
        guard file.isShared || most != 1 && missing >= Self.leastRest else { return nil }
        self.first = first
        self.version = version
        target = file.target
        part = plan.range
        isChosen = most != nil
        phase = file.isShared ? .open : .alone
        let map = file.isShared ? plan.resume?.map ?? SegmentMap() : SegmentMap([0..<file.start])
        syncs = SegmentSyncs(synced: file.isShared ? map : SegmentMap())
        seams = plan.mirrors.isProvenByDigest ? nil : SegmentSeams()
        if file.isShared, seams != nil {
            // Before the first byte is written over them.
            let path = target.path
            seams = try? SegmentSeams(of: map, total) { (range) throws(TransferFailure) in try readPart(of: path, range)
            }
            if seams == nil { return nil }
        }
        board = SegmentBoard(total: total, won: map)
        board.begin(first.ticket, file.start..<file.start + missing)
        places = CrewPlaces(plan.mirrors, first, version)
        policy = SegmentPolicy(chosen: most, now: first.thread.now)
        way = YieldingMember.way(of: first)
        if let easy = first.wire.easy { notes.sharesConnection = easy.hasStreams }
    }

    /// Whether connections take long to open their windows, and are worth being used again.
    var isFar: Bool { way?.isFar == true }

    /// Until it is known how many connections a far file needs, twice in each round trip.
    var lookInterval: Int64 {
        guard let way, way.isFar, policy.looksClosely else { return Self.usualInterval }
        return min(way.roundTrip / 2, Self.usualInterval)
    }

    /// Whether the file has, or may have, holes.
    var isOpen: Bool {
        switch phase {
        case .open, .ending: true
        case .alone, .preparing, .asking: false
        }
    }

    /// Whether its end is decided; the first one may be gone by then.
    var isEnding: Bool { if case .ending = phase { true } else { false } }

    var isSyncing: Bool { syncs.syncing != nil }

    /// All that have not ended.
    var members: [Exchange] {
        let others = board.parts.keys.filter { $0 != first.ticket }.compactMap { first.thread[$0] }
        return [first] + others
    }

    func setConnections(_ most: Int) {
        grant.allowed = max(most, 1)
        notes.connections?.keep(grant.allowed)
        look()
    }

    /// The loop has noted that the file has holes from now on.
    func open() {
        guard case .asking = phase, first.isAtWork else { return }
        phase = .open
        target.isShared.store(true, ordering: .sequentiallyConsistent)
        measure()
        assign()
    }

    /// Now and then.
    func look() {
        if case .ending = phase { return }
        measure()
        way = members.lazy.compactMap { YieldingMember.way(of: $0) }.first ?? way
        policy.look(
            SegmentPolicy.Look(
                now: first.thread.now, received: first.progress.received.load(ordering: .relaxed),
                arrived: first.progress.movedAt.load(ordering: .relaxed), rest: board.rest,
                running: members.count(where: \.isAtWork), isHeldBack: isHeldBack,
                sharesConnection: notes.sharesConnection, way: way))
        ask()
        report()
        switch phase {
        case .alone where policy.target > 1 && grant.allowed > 1: phase = .preparing
        case .alone, .preparing, .asking, .open, .ending: break
        }
        if case .preparing = phase { sync() }
        guard case .open = phase else { return }
        assign()
        if first.thread.now - syncs.begunAt >= Self.checkpointInterval { sync() }
    }

    /// Whether helpers get connections of their own where they could share one.
    var partsWays: Bool { isChosen || policy.wantsOwnConnections }

    private func report() {
        guard !isChosen || policy.target > 1 else { return }
        let reason = policy.target > grant.allowed ? .hostLimit : policy.reason
        first.progress.report = ConnectionReport(count: members.count(where: \.isAtWork), reason: reason)
    }

    func ask() {
        guard policy.target != grant.asked else { return }
        grant.asked = policy.target
        first.thread.emit(first.ticket, .connectionsWanted(policy.target))
    }

    /// Whether a limit of ours, and not the network, says how fast it goes.
    private var isHeldBack: Bool {
        if first.limits.bytes != nil { return true }
        guard let limit = first.limits.pace?.rate else { return false }
        let rates = board.parts.values.compactMap(\.rate)
        return rates.isEmpty || rates.reduce(0, +) >= limit / 5 * 4
    }
}

// Who fetches what.
extension SegmentCrew {
    func measure() {
        let now = first.thread.now
        for ticket in board.parts.keys {
            guard let file = first.thread[ticket]?.file else { continue }
            board.advance(ticket, to: file.position)
            let clock = clocks[ticket] ?? (now, file.position)
            if clocks[ticket] == nil { clocks[ticket] = clock }
            let span = now - clock.since
            guard span >= Self.rateSpan else { continue }
            let rate = (file.position - clock.position) * 1_000 / max(span / 1_000_000, 1)
            board.note(ticket, rate: rate)
            places.board.note(ticket, rate: rate)
            clocks[ticket] = (now, file.position)
        }
    }

    func assign() {
        guard case .open = phase, agree(in: board.won) else { return }
        if board.isComplete {
            return conclude(
                ExchangeOutcome(
                    ending: .responded, head: version.head,
                    disposition: .written(length: board.total, isComplete: true)))
        }
        for (ticket, end) in board.extend() { first.thread[ticket]?.goOn(to: end) }
        let most = min(policy.target, grant.allowed)
        // Where others are refused, nobody is sent for what a member has received and is still writing.
        var running = members.count { $0.isAtWork || policy.isRefused && board.parts[$0.ticket] != nil }
        // All are planned before the first one asks, so that each asks for what it is to bring and no more: who is stopped before the end
        // of an answer loses the connection.
        var planned: [PlannedHelper] = []
        while running < most, let place = places.board.choose(at: first.thread.now),
            let work = board.work(after: delay)
        {
            let ticket = first.thread.afterwards.crews.makeTicket()
            board.begin(ticket, work.range)
            places.board.sit(ticket, at: place)
            let isRunning = !planned.contains { $0.ticket == work.shortened }
            planned.append(PlannedHelper(ticket: ticket, place: place, shortened: isRunning ? work.shortened : nil))
            running += 1
            notes.warm = max(notes.warm - 1, 0)
        }
        for one in planned { begin(one) }
        guard running > most else { return }
        // Those that began last have the least to lose.
        let others = members.filter { $0.isHelper && $0.isAtWork }.sorted { $0.ticket.number > $1.ticket.number }
        for helper in others.prefix(running - most) { helper.cancelAlone() }
    }
}

// What becomes of them.
extension SegmentCrew {
    func hear(_ event: EngineEvent, from member: Exchange) {
        switch event {
        case .exchangeEnded(let outcome): ended(member, outcome)
        case .receiving(let other):
            if version.contradicts(other) { return isStray(member) ? drop(member) : end(.changed) }
            notes.successors[member.ticket] = nil
            for other in members where other !== member { other.endIfCut() }
        case .heads: first.thread.emit(first.ticket, event)
        case .head(let other):
            // The whole came instead of a part.
            if isStray(member) {
                drop(member)
            } else if version.isThat(of: other) {
                notes.wholes[member.ticket] = other
                member.cancelAlone()
            } else {
                end(.changed)
            }
        case .lastBytesHeld, .bodySent, .allowanceUsed, .sharesConnections, .checkpoint, .parts, .places,
            .connectionsWanted, .sourcesInspected, .partialMeasured, .piecesChecked, .placed, .discarded:
            break
        }
    }

    /// Why all end.
    enum End {
        case cancelled
        /// There is another version: nothing of this one is worth anything.
        case changed
        case outcome(ExchangeOutcome)
    }

    func end(_ reason: End) {
        if case .ending = phase { return }
        switch reason {
        case .cancelled: conclude(ExchangeOutcome(ending: .cancelled, head: version.head))
        case .changed: conclude(changed)
        case .outcome(let outcome): conclude(outcome)
        }
    }

    private func ended(_ member: Exchange, _ outcome: ExchangeOutcome) {
        var written: Int64?
        if case .written(let length, _) = outcome.disposition { written = length }
        let start = board.parts[member.ticket]?.start ?? written ?? 0
        board.end(member.ticket, written: written ?? start)
        let won = (written ?? start) - start
        if won == 0 { seams?.drop(at: start) }
        clocks[member.ticket] = nil
        notes.successors[member.ticket] = nil
        notes.leaving.remove(member.ticket)
        let wasShort = notes.shortAnswers.remove(member.ticket) != nil
        if member === first { member.machine.park() }
        let hasFailed = outcome.hasFailed || wasShort && won < Self.leastWon
        let isOfProtocol = isOfProtocol(member, outcome)
        let isStray = isStray(member)
        if isStray, outcome.isOfAnotherVersion { dropPlace(of: member) }
        places.board.leave(member.ticket, won: won, hasFailed: hasFailed && !isOfProtocol, at: first.thread.now)
        if case .ending = phase { return concludeIfAllEnded() }
        if isOfProtocol { return assign() }
        if isStray { return endedElsewhere(member, outcome) }
        if let head = notes.wholes.removeValue(forKey: member.ticket) {
            let refusal = DownloadVerdict.Refusal.rangeUnusable("It sent the whole file, and a part was asked for.")
            return giveUp(
                on: member, ExchangeOutcome(ending: .responded, head: head, disposition: .refused(refusal)))
        }
        switch outcome.disposition {
        case .refused(.changed), .overlapDiffers: return end(.changed)
        case .refused: return giveUp(on: member, outcome)
        case .none, .written, .held: break
        }
        var hasEndedEarly = wasShort
        if case .broke(let failure) = outcome.ending {
            if failure.isOfTheFile { return end(.outcome(outcome.asEndOfWhole)) }
            hasEndedEarly = true
        }
        if hasEndedEarly, won < Self.leastWon { return giveUp(on: member, outcome) }
        measure()
        assign()
    }

    var changed: ExchangeOutcome {
        ExchangeOutcome(ending: .responded, head: version.head, disposition: .refused(.changed))
    }

    func conclude(_ outcome: ExchangeOutcome) {
        phase = .ending(outcome)
        for member in members where member.isAtWork { member.cancelAlone() }
        concludeIfAllEnded()
    }

    func concludeIfAllEnded() {
        guard case .ending(let outcome) = phase, board.parts.isEmpty, notes.leaving.isEmpty, !isSyncing,
            !first.checkpoints.isSyncing
        else { return }
        switch outcome.disposition {
        case .written, .refused(.changed): break
        case .none, .held, .overlapDiffers, .refused:
            // What a crash would lose is told with the end.
            if !syncs.synced.contains(board.won), !outcome.isOfTheFile { return sync() }
        }
        tellPlaces()
        if let connections = notes.connections { first.thread.multis.drop(connections) }
        first.thread.endForGood(first, outcome)
    }
}

// What is on stable storage.
extension SegmentCrew {
    private func sync() {
        guard !isSyncing, !first.checkpoints.isSyncing else { return }
        let map = map
        guard agree(in: map) else { return }
        if case .open = phase, syncs.synced.contains(map) { return }
        syncs.begin(map, at: first.thread.now)
        first.thread.files.sync(target, length: 0, of: first)
    }

    func synced(_ result: Result<Int64, TransferFailure>) {
        syncs.end(isGood: (try? result.get()) != nil)
        switch result {
        case .failure(let failure):
            // What was written since the last good sync may be lost, and no later sync says so again.
            if case .ending = phase { return first.thread.endForGood(first, brokenBy(failure)) }
            if isOpen { end(.outcome(brokenBy(failure))) } else { first.syncFailed(failure) }
        case .success:
            if case .preparing = phase { phase = .asking }
            tellPlaces()
            if isOpen || first.isAtWork { first.thread.emit(first.ticket, .parts(syncs.synced)) }
            concludeIfAllEnded()
        }
    }

    func brokenBy(_ failure: TransferFailure) -> ExchangeOutcome {
        ExchangeOutcome(ending: .broke(failure), head: version.head)
    }
}
