/// The decisions of a download over several connections: ranges, sources, and stops of each connection; bytes to compare; received
/// bytes; syncs; the outcome of the whole.
///
/// It performs no I/O and reads no clock: an engine reports events with its view (``SegmentSnapshot``), and carries out the actions. The
/// download begins with its first connection alone, exactly as without this machine. Before others write to the file, its bytes are
/// synced and the loop has noted that it will have holes.
package struct SegmentMachine {
    /// How often it checks rates and adds connections, in nanoseconds.
    private static let usualInterval: Int64 = 250_000_000
    /// How long the loop may not know of written bytes.
    private static let checkpointInterval: Int64 = 1_000_000_000
    /// A smaller rest is not worth a second connection.
    private static let leastRest: Int64 = 4 << 20
    /// A connection that is lost after fewer bytes counts as refused.
    static let leastWon: Int64 = 64 << 10
    /// How long a connection is measured before its rate counts.
    private static let rateSpan: Int64 = 1_000_000_000

    enum Phase {
        /// The first connection is alone, and the file has no holes.
        case alone
        /// The received bytes are synced before the file may get holes.
        case preparing
        /// The loop notes that the file will have holes.
        case asking
        case open
        /// All connections end; then this is reported.
        case ending(ExchangeOutcome)
    }

    let first: Ticket
    let version: SegmentVersion
    /// When the validators of the version can distinguish versions.
    private let settlesAt: Int64
    var phase: Phase
    var board: SegmentAllocator
    var policy: SegmentPolicy
    var sources: SegmentSources
    var links: SegmentLinks
    /// All connections that have not ended.
    var members: [Ticket: SegmentMember]
    var syncs: SegmentSyncs
    /// `nil` if a digest will prove the whole.
    var seams: SegmentSeams?
    var spots: SegmentSpotChecks
    var sight: SegmentSnapshot
    /// The outcome of the whole if no connection can be added.
    var fallback: ExchangeOutcome?
    var actions: [SegmentAction] = []

    /// Returns `nil` if further connections cannot help. `read` gets bytes of the file that an earlier attempt has written.
    package init?(
        _ start: SegmentStart, read: (Range<Int64>) throws(TransferFailure) -> [UInt8]
    ) {
        let version = SegmentVersion(start.head, resume: start.partial.resume)
        guard let total = version.validators.total, start.range.upperBound <= total else { return nil }
        // A background download that yields to other traffic uses one connection.
        let most = version.canBeSplit && !start.plan.yields ? start.partial.segments : 1
        let missing = start.range.upperBound - start.range.lowerBound
        guard start.isShared || most != 1 && missing >= Self.leastRest else { return nil }
        first = start.ticket
        self.version = version
        settlesAt = start.now + (version.settlesIn ?? 0)
        phase = start.isShared ? .open : .alone
        let map =
            start.isShared ? start.partial.resume?.map ?? SegmentMap() : SegmentMap([0..<start.range.lowerBound])
        syncs = SegmentSyncs(synced: start.isShared ? map : SegmentMap())
        seams = start.partial.mirrors.isProvenByDigest ? nil : SegmentSeams()
        if start.isShared, seams != nil {
            seams = try? SegmentSeams(of: map, total, in: read)
            if seams == nil { return nil }
        }
        spots = SegmentSpotChecks(
            isNeeded: seams != nil && start.partial.range == nil && version.validators.areOfDateAndLength, total: total,
            responses: map.isEmpty ? 1 : 2, seed: start.now)
        board = SegmentAllocator(total: total, won: map)
        board.begin(first, start.range)
        sources = SegmentSources(
            start.plan, start.partial.mirrors, version, isRedirected: start.url.text != start.plan.url)
        sources.board.sit(first, at: 0)
        policy = SegmentPolicy(chosen: most, now: settlesAt)
        links = SegmentLinks(way: start.way, sharesConnection: start.sharesConnection)
        members = [first: SegmentMember(state: .receiving)]
        sight = SegmentSnapshot(now: start.now)
    }

    /// Whether connections take long to open their windows, and are worth reusing.
    package var isFar: Bool { links.way?.isFar == true }

    /// Twice in each round trip, until the number of connections for a high latency is known.
    package var checkInterval: Int64 {
        guard let way = links.way, way.isFar, policy.looksClosely else { return Self.usualInterval }
        return min(way.roundTrip / 2, Self.usualInterval)
    }

    /// Whether the file has, or may have, holes.
    package var isOpen: Bool {
        switch phase {
        case .open, .ending: true
        case .alone, .preparing, .asking: false
        }
    }

    /// Whether its outcome is decided.
    package var isEnding: Bool { if case .ending = phase { true } else { false } }

    /// Returns whether the response of a helper states another digest of the whole file.
    package func contradicts(_ head: ResponseHead) -> Bool { version.contradicts(head) }

    package var isSyncing: Bool { syncs.isSyncing }

    /// The number of connections that the loop allows.
    package var granted: Int { links.granted }

    /// The connections besides the first one.
    package var helpers: [Ticket] { members.keys.filter { $0 != first } }

    /// Processes an event. The engine carries out the actions in their order.
    package mutating func handle(_ event: SegmentEvent, _ sight: SegmentSnapshot) -> [SegmentAction] {
        self.sight = sight
        switch event {
        case .granted(let most): links.granted = max(most, 1)
        case .opened: open()
        case .measured(let look): self.update(look)
        case .receiving(let ticket, let head): receiving(ticket, head)
        case .gotWhole(let ticket, let head): refuse(ticket, head)
        case .settled(let ticket, let position, let keepsConnection): settled(ticket, at: position, keepsConnection)
        case .ended(let ticket, let outcome): ended(ticket, outcome)
        case .compared(let overlaps, let comparison): compared(overlaps, comparison)
        case .synced(let failure): synced(failure)
        case .checkpointed: concludeIfAllEnded()
        case .cancelled: end(ExchangeOutcome(ending: .cancelled, head: version.head))
        }
        defer { actions = [] }
        return actions
    }

    private mutating func open() {
        guard case .asking = phase, members[first]?.isAtWork == true else { return }
        phase = .open
        actions.append(.openFile)
        proceed()
    }

    private mutating func update(_ look: SegmentEvent.Measurement) {
        if case .ending = phase { return }
        measure()
        links.way = look.way ?? links.way
        if sight.now >= settlesAt {
            policy.update(
                SegmentPolicy.Measurement(
                    now: sight.now, received: look.received, arrived: look.arrived, rest: board.rest,
                    running: running, isHeldBack: isHeldBack(look), sharesConnection: links.sharesConnection,
                    way: links.way))
            request()
            report()
        }
        if case .alone = phase, policy.target > 1, links.granted > 1 { phase = .preparing }
        proceed()
    }

    /// Whether a limit of Longhaul, and not the network, determines the rate.
    private func isHeldBack(_ look: SegmentEvent.Measurement) -> Bool {
        if look.isCounted { return true }
        guard let limit = look.rateLimit else { return false }
        let rates = board.parts.values.compactMap(\.rate)
        return rates.isEmpty || rates.reduce(0, +) >= limit / 5 * 4
    }

    private mutating func report() {
        guard !policy.isChosen || policy.target > 1 else { return }
        let reason = policy.target > links.granted ? .hostLimit : policy.reason
        actions.append(.report(ConnectionReport(count: running, reason: reason)))
    }

    /// Requests as many connections from the loop as the policy wants.
    mutating func request() {
        guard policy.target != links.requested else { return }
        links.requested = policy.target
        actions.append(.want(policy.target))
    }

    /// The number of active connections.
    var running: Int { members.values.count(where: \.isAtWork) }

    mutating func measure() {
        for (ticket, file) in sight.files {
            guard let part = board.parts[ticket] else { continue }
            board.advance(ticket, to: file.received)
            let clock = members[ticket]?.clock ?? RateClock(since: sight.now, position: max(file.received, part.start))
            members[ticket]?.clock = clock
            let span = sight.now - clock.since
            guard span >= Self.rateSpan else { continue }
            let rate = (file.received - clock.position) * 1_000 / max(span / 1_000_000, 1)
            board.update(ticket, rate: rate)
            sources.board.update(ticket, rate: rate)
            members[ticket]?.clock = RateClock(since: sight.now, position: file.received)
        }
    }

    /// The bytes of the file, received or written by active connections.
    var map: SegmentMap { board.map(written: sight.files.mapValues(\.written)) }

    /// Makes all possible comparisons first; then adds and ends connections, and syncs.
    mutating func proceed(orElse outcome: ExchangeOutcome? = nil) {
        fallback = outcome ?? fallback
        switch phase {
        case .alone, .asking: return
        case .preparing: sync()
        case .ending: concludeIfAllEnded()
        case .open:
            if compares(in: map) { return }
            assign()
            let outcome = fallback
            fallback = nil
            if let outcome, members.isEmpty { return end(outcome) }
            if case .open = phase, sight.now - syncs.begunAt >= Self.checkpointInterval { sync() }
        }
    }

    /// Returns whether the common bytes of two responses are compared first; `SegmentEvent.compared` comes next.
    mutating func compares(in map: SegmentMap) -> Bool {
        guard let due = seams?.due(in: map), !due.isEmpty else { return false }
        actions.append(.compare(due))
        return true
    }

    private mutating func compared(_ overlaps: [SegmentSeams.Overlap], _ comparison: SegmentEvent.Comparison) {
        switch comparison {
        case .agrees:
            for overlap in overlaps { seams?.drop(at: overlap.end) }
            proceed()
        case .differs: concludeDiffering()
        case .failed(let failure): conclude(broken(by: failure))
        }
    }

    /// The file has bytes of two versions. Only those of the first connection are known to be of one response. They are kept if another
    /// response can prove that it has the same version.
    private mutating func concludeDiffering() {
        seams = SegmentSeams()
        let ofFirst = min(links.firstEnd ?? board.parts[first]?.end ?? 0, map.front)
        let kept = ExchangeOutcome.Disposition.partsDiffer(length: version.validators.areOfDateAndLength ? 0 : ofFirst)
        conclude(ExchangeOutcome(ending: .responded, head: version.head, disposition: kept))
    }

    private mutating func sync() {
        guard !syncs.isSyncing, !sight.isCheckpointing else { return }
        let map = map
        if case .open = phase, syncs.synced.contains(map) { return }
        syncs.begin(map, at: sight.now)
        actions.append(.sync)
    }

    private mutating func synced(_ failure: TransferFailure?) {
        syncs.end(isGood: failure == nil)
        if let failure {
            switch phase {
            case .open, .ending: conclude(broken(by: failure))
            case .alone, .preparing, .asking: actions.append(.failFirst(failure))
            }
            return
        }
        if case .preparing = phase { phase = .asking }
        reportSources()
        if isOpen || members[first]?.isAtWork == true { actions.append(.reportMap(syncs.synced)) }
        concludeIfAllEnded()
    }

    /// Reports sources before the map that has their bytes.
    private mutating func reportSources() {
        guard sources.board.isSpread else { return }
        let news = sources.board.takeStatistics(underWay: board.parts.mapValues { $0.position - $0.start })
        if !news.isEmpty { actions.append(.reportSources(news)) }
    }

    mutating func end(_ outcome: ExchangeOutcome) {
        if case .ending = phase { return }
        conclude(outcome)
    }

    mutating func conclude(_ outcome: ExchangeOutcome) {
        phase = .ending(outcome)
        for ticket in members.keys.sorted(by: { $0.number < $1.number }) { cancel(ticket) }
        concludeIfAllEnded()
    }

    mutating func concludeIfAllEnded() {
        guard case .ending(var outcome) = phase, members.isEmpty, !syncs.isSyncing, !sight.isCheckpointing else {
            return
        }
        if case .partsDiffer(let length) = outcome.disposition {
            board.discard(from: length)
            syncs.discard(from: length)
        }
        switch outcome.disposition {
        case .written: break
        case .none, .held, .overlapDiffers, .partsDiffer, .refused:
            // A crash after the end must not lose bytes that the next attempt counts on.
            if !syncs.synced.contains(board.won), !outcome.isOfTheFile, !syncs.hasFailed {
                return compares(in: board.won) ? () : sync()
            }
        }
        reportSources()
        outcome.refusesParts = links.refusesParts
        actions.append(.conclude(outcome))
    }

    func broken(by failure: TransferFailure) -> ExchangeOutcome {
        ExchangeOutcome(ending: .broke(failure), head: version.head)
    }
}
