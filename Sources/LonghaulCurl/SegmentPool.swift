import LonghaulCore
import LonghaulFiles
import Synchronization

/// The exchanges that download one file together: the transfer's own, and additional ones for ranges of the same
/// version. The network thread carries out the decisions of a ``SegmentMachine`` with libcurl. Owned by the network
/// thread.
final class SegmentPool {
    unowned let first: Exchange
    private let target: PartialTarget
    /// The part of the remote file that counts as the whole file.
    private let part: FilePart?
    private(set) var machine: SegmentMachine
    /// Pending actions, and whether one of them is running: it may cause further events.
    private var actions: [SegmentAction] = []
    private var isActing = false
    /// The multi handle of additional exchanges that share no connections, once there are some.
    private var ownConnections: MultiHandle?

    /// Processes an exchange whose headers were accepted and whose file is open, before its first byte.
    static func opened(_ exchange: Exchange, _ file: PartialFile, _ head: ResponseHead) {
        if let segmentPool = exchange.segmentPool {
            if exchange.isHelper { segmentPool.accept(exchange, file) }
            return
        }
        guard case .partial(let plan) = exchange.plan.sink else { return }
        // The rest after an unrequested part is requested first, which shows whether the server supports ranges.
        if head.status == 206, plan.resume == nil { return }
        // With so many exchanges, additional connections for one would slow the others. A number that the user chose is
        // granted anyway.
        if exchange.thread.isCrowded, plan.segments == nil, !file.isShared { return }
        exchange.segmentPool = SegmentPool(exchange, plan, file, head)
        guard let segmentPool = exchange.segmentPool else { return }
        exchange.thread.checkSoon(plan.segments == nil ? segmentPool.machine.checkInterval : 0)
    }

    /// Returns `nil` if additional connections cannot help.
    private init?(_ first: Exchange, _ plan: PartialPlan, _ file: PartialFile, _ head: ResponseHead) {
        guard let missing = file.missing, first.machine.method == "GET", first.body == nil else { return nil }
        var start = SegmentStart(
            ticket: first.ticket, plan: first.plan, partial: plan, head: head, url: first.url,
            range: file.start..<file.start + missing, isShared: file.isShared, now: first.thread.now)
        start.sharesConnection = first.wire.easy?.hasStreams ?? false
        start.way = YieldingMember.way(of: first)
        let read = { (range: Range<Int64>) throws(TransferFailure) in try readPart(of: plan.path, range) }
        guard let machine = SegmentMachine(start, read: read) else { return nil }
        self.first = first
        self.machine = machine
        target = file.target
        part = plan.range
    }

    /// All exchanges that have not ended.
    var members: [Exchange] { [first] + machine.helpers.compactMap { first.thread[$0] } }

    /// The multi handle of additional exchanges that share no connections. No other exchange uses it: once an unshared
    /// connection is made beside others, libcurl considers the host unable to share connections.
    var connections: MultiHandle {
        let connections = ownConnections ?? first.thread.multis.make()
        ownConnections = connections
        connections.keep(machine.granted)
        return connections
    }
}

// Events.
extension SegmentPool {
    private var sight: SegmentSnapshot {
        var sight = SegmentSnapshot(now: first.thread.now, isCheckpointing: first.checkpoints.isSyncing)
        for member in members {
            guard let file = member.file else { continue }
            sight.files[member.ticket] = SegmentSnapshot.File(
                start: file.start, received: file.position, written: file.length,
                end: file.position + (file.missing ?? 0))
        }
        return sight
    }

    private func handle(_ event: SegmentEvent) {
        actions += machine.handle(event, sight)
        guard !isActing else { return }
        isActing = true
        while !actions.isEmpty { act(actions.removeFirst()) }
        isActing = false
    }

    func setConnections(_ most: Int) {
        handle(.granted(most))
        ownConnections?.keep(machine.granted)
        measure()
    }

    func measure() {
        // The first exchange may have ended.
        guard !machine.isEnding else { return }
        handle(
            .measured(
                SegmentEvent.Measurement(
                    received: first.progress.received.load(ordering: .relaxed),
                    arrived: first.progress.movedAt.load(ordering: .relaxed),
                    way: members.lazy.compactMap { YieldingMember.way(of: $0) }.first,
                    rateLimit: first.limits.pace?.rate, isCounted: first.limits.bytes != nil)))
    }

    func open() { handle(.opened) }

    func cancel() { handle(.cancelled) }

    func checkpointed() { handle(.checkpointed) }

    func synced(_ result: Result<Int64, TransferFailure>) {
        switch result {
        case .success: handle(.synced(nil))
        case .failure(let failure): handle(.synced(failure))
        }
    }

    /// Records that a member receives no bytes beyond `position`. Its bytes are written, and then the file is closed.
    func settled(_ member: Exchange, at position: Int64, keepsConnection: Bool) {
        handle(.settled(member.ticket, at: position, keepsConnection: keepsConnection))
    }

    func process(_ event: EngineEvent, from member: Exchange) {
        switch event {
        case .exchangeEnded(let outcome):
            if member === first { member.machine.park() }
            handle(.ended(member.ticket, outcome))
        case .receiving(let head): handle(.receiving(member.ticket, head))
        case .head(let head): handle(.gotWhole(member.ticket, head))
        case .heads: first.thread.emit(first.ticket, event)
        case .lastBytesHeld, .bodySent, .allowanceUsed, .sharesConnections, .checkpoint, .parts, .places,
            .connectionsWanted, .sourcesInspected, .partialMeasured, .piecesChecked, .placed, .discarded:
            break
        }
    }
}

// Calls from inside libcurl's callbacks, in which no exchange may start or end.
extension SegmentPool {
    private func accept(_ helper: Exchange, _ file: PartialFile) {
        guard let missing = file.missing else { return }
        if let end = machine.accept(helper.ticket, file.start..<file.start + missing) { file.stop(at: end) }
    }

    /// Joins an additional exchange that has received the bytes before its range. Returns why it ends, if it does.
    func join(_ helper: Exchange, _ comparison: Comparison) -> ExchangeMachine.Stop? {
        // Before another connection is stopped for it.
        if let head = helper.machine.head, machine.contradicts(head) { return .overlapDiffers }
        switch machine.join(helper.ticket, comparison.sample, before: comparison.end, sight) {
        case .enough: return .enough
        case .write: return nil
        case .takeOver(let other, let position):
            first.thread[other]?.file?.stop(at: position)
            if position == comparison.end { return join(helper, comparison) }
            comparison.extend(to: position)
            return nil
        case .compare(let overlap):
            let result = compare([overlap])
            machine.joined(overlap)
            return switch result {
            case .agrees: nil
            case .differs: .overlapDiffers
            case .failed(let failure): .failure(failure)
            }
        }
    }

    private func compare(_ overlaps: [SegmentSeams.Overlap]) -> SegmentEvent.Comparison {
        do throws(TransferFailure) {
            for overlap in overlaps where try readPart(of: target.path, overlap.range) != overlap.sample {
                return .differs
            }
            return .agrees
        } catch {
            return .failed(error)
        }
    }
}

// Actions.
extension SegmentPool {
    private func act(_ action: SegmentAction) {
        let thread = first.thread
        switch action {
        case .request(let request): begin(request)
        case .check(let ticket, let source, let ranges, let validators, let connection):
            check(ticket, source, ranges, validators, connection)
        case .extend(let ticket, let end): thread[ticket]?.extend(to: end)
        case .endStopped: for member in members { member.endIfCut() }
        case .cancel(let ticket): thread[ticket]?.cancelAlone()
        case .compare(let overlaps): handle(.compared(overlaps, compare(overlaps)))
        case .sync: thread.files.sync(target, length: 0, of: first)
        case .openFile: target.isShared.store(true, ordering: .sequentiallyConsistent)
        case .failFirst(let failure): first.syncFailed(failure)
        case .reportMap(let map): thread.emit(first.ticket, .parts(map))
        case .reportSources(let news): thread.emit(first.ticket, .places(news))
        case .want(let count): thread.emit(first.ticket, .connectionsWanted(count))
        case .report(let report): first.progress.report = report
        case .checkSoon: thread.deferred.segmentPools.add(idle: self)
        case .conclude(let outcome):
            if let ownConnections { thread.multis.drop(ownConnections) }
            thread.endForGood(first, outcome)
        }
    }

    private func begin(_ request: SegmentAction.Request) {
        var partial = PartialPlan(
            path: target.path, resume: request.point, digests: [], checkpointInterval: .max)
        partial.range = part
        begin(
            request.ticket, request.source, ResumeLadder.headers(for: request.point, in: part), .partial(partial),
            request.connection)
    }

    private func check(
        _ ticket: Ticket, _ source: SegmentAction.Source, _ ranges: [Range<Int64>], _ validators: Validators,
        _ connection: ConnectionUse
    ) {
        begin(
            ticket, source, ResumeLadder.headers(for: ranges, of: validators),
            .memory(limit: SegmentAction.checkLimit), connection)
    }

    private func begin(
        _ ticket: Ticket, _ source: SegmentAction.Source, _ range: [HeaderField], _ sink: SinkPlan,
        _ connection: ConnectionUse
    ) {
        let own = first.plan
        let helper: Exchange
        func make(_ url: TransferURL, _ headers: [HeaderField], _ network: NetworkOptions) -> Exchange {
            let plan = ExchangePlan(
                method: "GET", url: url.text, headers: headers.filter { !$0.requestsPart } + range, body: nil,
                sink: sink, network: CopyOnWrite(network),
                followsOnlyRepeatingRedirects: own.followsOnlyRepeatingRedirects, connection: connection)
            return first.thread.makeHelper(ticket, plan, to: url, for: first)
        }
        switch source {
        case .servingURL: helper = make(first.url, first.identity.headers, own.network)
        case .ownURL:
            helper = make((try? TransferURL(parsing: own.url)) ?? first.url, own.headers, own.network)
            helper.identity.returnToOrigin()
        case .mirror(let place):
            // The machine chooses only sources whose URLs parse.
            guard let url = try? TransferURL(parsing: place.url) else { return }
            helper = make(url, place.headers, place.isAtHome ? own.network : own.network.withoutIdentity)
            if !place.isAtHome { helper.identity.leaveOrigin() }
        }
        helper.segmentPool = self
        helper.begin()
    }
}
