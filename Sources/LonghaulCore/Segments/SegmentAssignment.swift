// Assigns ranges to connections.
extension SegmentMachine {
    /// Adds and ends connections.
    mutating func assign() {
        if board.isComplete {
            if checkSpots() { return }
            return conclude(
                ExchangeOutcome(
                    ending: .responded, head: version.head,
                    disposition: .written(length: board.total, isComplete: true)))
        }
        for (ticket, end) in board.extend() { actions.append(.extend(ticket, to: end)) }
        let most = min(policy.target, links.granted)
        // After a refusal, a range that was received and is still being written is not requested again.
        var count = members.values.count { $0.isAtWork } + (policy.isRefused ? settling : 0)
        // All are planned before the first request, so that each requests exactly its range: a connection that is stopped before
        // the end of a response is lost.
        var planned: [Ticket] = []
        while count < most, let place = sources.board.choose(at: sight.now), let work = board.work(after: links.delay) {
            let isRunning = work.shortened.map { !planned.contains($0) } ?? false
            planned.append(add(work.range, at: place, .requested(behind: isRunning ? work.shortened : nil)))
            count += 1
        }
        for ticket in planned { request(ticket) }
        if planned.isEmpty { checkSpotsEarly() }
        guard count > most else { return }
        // The latest connections have the least to lose.
        let others = members.keys.filter { $0 != first && members[$0]?.isAtWork == true }
        for ticket in others.sorted(by: { $0.number > $1.number }).prefix(count - most) { cancel(ticket) }
    }

    private mutating func add(_ range: Range<Int64>, at place: Int, _ state: SegmentMember.State) -> Ticket {
        let ticket = links.next(of: first)
        board.begin(ticket, range)
        sources.board.sit(ticket, at: place)
        members[ticket] = SegmentMember(state: state, place: place)
        links.warm = max(links.warm - 1, 0)
        return ticket
    }

    /// Repeats the request for a range after a refusal that concerned its form. Otherwise the connection before it would continue
    /// into the range, and ranges would depend on the order of such refusals.
    private mutating func requestAgain(_ range: Range<Int64>?, of member: SegmentMember) {
        if let range, !range.isEmpty, running < min(policy.target, links.granted) {
            request(add(range, at: member.place, .requested(behind: member.predecessor)))
        }
        proceed()
    }

    private var settling: Int { members.count { !$0.value.isAtWork && board.parts[$0.key] != nil } }

    private mutating func request(_ ticket: Ticket) {
        guard let part = board.parts[ticket], let place = members[ticket]?.place else { return }
        // A helper that was planned later has part of its range.
        board.shorten(ticket, to: part.end)
        var point = ResumePoint(
            length: part.start, overlap: SegmentSeams.overlap(before: part.start),
            validators: version.settledValidators)
        point.end = part.end
        point.map = syncs.synced
        let isMirror = place != 0
        if isMirror || sources.ignoresValidators {
            point.isElsewhere = true
            point.validators = point.validators.elsewhere(isProvenByDigest: sources.isProvenByDigest)
        } else {
            point.mustBeSettled = version.validators.isSoft && !sources.isProvenByDigest
        }
        let source = sources[place]
        members[ticket]?.source = source
        members[ticket]?.isConditional = !point.isElsewhere
        let use = connection
        members[ticket]?.connection = use
        actions.append(.request(SegmentAction.Request(ticket: ticket, source: source, point: point, connection: use)))
    }

    /// Helpers with their own connections use HTTP/1.1: then one continues over a connection that another one has left, whose
    /// window is open, and that no stream shares.
    var connection: ConnectionUse {
        guard policy.isChosen || policy.wantsOwnConnections else { return .any }
        return links.refusesHTTP1 ? .unused : .undivided
    }

    mutating func cancel(_ ticket: Ticket) {
        guard members[ticket]?.isAtWork == true else { return }
        members[ticket]?.state = .ending
        actions.append(.cancel(ticket))
    }

    /// A helper's response was accepted. Returns where it must stop, if that is before the end of the response.
    package mutating func accept(_ ticket: Ticket, _ range: Range<Int64>) -> Int64? {
        guard let part = board.parts[ticket] else { return nil }
        if part.end > range.upperBound {
            board.shorten(ticket, to: range.upperBound)
            members[ticket]?.isShort = true
            return nil
        }
        // Its range was shortened meanwhile. The helper that takes over the rest stops it after its own response arrives, unless that
        // response has arrived already.
        let awaited = members.filter { if case .requested(ticket) = $0.value.state { true } else { false } }
        let end = board.end(of: part, through: Set(awaited.keys))
        return end < range.upperBound ? end : nil
    }

    /// A helper has received the bytes before its range, up to `end`. Until then another connection may continue beyond that point.
    /// Now the helper takes over.
    package mutating func join(_ ticket: Ticket, _ sample: [UInt8], before end: Int64, _ sight: SegmentSnapshot)
        -> SegmentJoining
    {
        self.sight = sight
        guard let part = board.parts[ticket] else { return .enough }
        if let (other, file) = sight.files.first(where: { $0.value.start < end && $0.value.end > end }) {
            let position = max(file.received, end)
            guard position < part.end else { return .enough }
            if position > end { board.begin(ticket, at: position, behind: other) }
            return .takeOver(from: other, at: position)
        }
        guard seams != nil else { return .write }
        seams?.add(sample, before: end)
        let due = seams?.due(in: map).first { $0.end == end }
        return due.map { .compare($0) } ?? .write
    }

    /// The bytes before a helper's range were compared with the file.
    package mutating func joined(_ overlap: SegmentSeams.Overlap) { seams?.drop(at: overlap.end) }

    mutating func receiving(_ ticket: Ticket, _ head: ResponseHead) {
        if version.contradicts(head) { return refuse(ticket, head) }
        if case .requested = members[ticket]?.state {
            members[ticket]?.state = .receiving
            spots.recordResponse()
        }
        actions.append(.endStopped)
    }

    private func isMirror(_ ticket: Ticket) -> Bool { members[ticket].map { $0.place != 0 } ?? false }

    /// Its source has another version, or one that cannot be fetched in parts.
    private mutating func drop(_ ticket: Ticket) {
        if let place = members[ticket]?.place { sources.board.drop(place) }
        cancel(ticket)
    }

    /// Ends a connection that received something else than its range. Only the first connection of an attempt decides that the file
    /// has changed: a page about too many downloads is no new version.
    mutating func refuse(_ ticket: Ticket, _ head: ResponseHead) {
        if isMirror(ticket) { return drop(ticket) }
        guard members[ticket]?.isAtWork == true else { return }
        members[ticket]?.state = .refused(head)
        actions.append(.cancel(ticket))
    }

    func isOfEqualLength(_ head: ResponseHead) -> Bool { ValidatorReading.total(of: head) == version.validators.total }

    mutating func settled(_ ticket: Ticket, at position: Int64, _ keepsConnection: Bool) {
        if keepsConnection, ticket != first { links.warm += 1 }
        if isFar, let part = board.parts[ticket], position >= part.end { actions.append(.checkSoon) }
        dropSuccessors(of: ticket, at: position)
        board.advance(ticket, to: position)
        board.shorten(ticket, to: position)
        if members[ticket]?.isAtWork == true { members[ticket]?.state = .ending }
    }

    /// The connection has continued beyond its end, because no other one has delivered bytes there. The helpers for those bytes
    /// have not begun to write, or the connection would have been stopped.
    private mutating func dropSuccessors(of ticket: Ticket, at position: Int64) {
        guard let part = board.parts[ticket], position > part.end else { return }
        for (helper, other) in board.parts where (part.end..<position).contains(other.start) && helper != ticket {
            board.end(helper, written: 0)
            cancel(helper)
        }
        board.lengthen(ticket, to: position)
    }
}

// How a connection ends.
extension SegmentMachine {
    mutating func ended(_ ticket: Ticket, _ outcome: ExchangeOutcome) {
        guard let member = members.removeValue(forKey: ticket) else { return }
        if spots.ticket == ticket { return endSpotCheck(outcome) }
        let range = board.parts[ticket].map { $0.start..<$0.end }
        let won = release(ticket, member, outcome)
        if case .ending = phase { return concludeIfAllEnded() }
        measure()
        for other in sources.reject(member.place, outcome.rejection, members) { cancel(other) }
        if isOfProtocol(ticket, member, outcome) {
            links.refusesHTTP1 = true
            return requestAgain(range, of: member)
        }
        if hasOtherValidators(ticket, member, outcome) {
            sources.ignoresValidators = true
            return requestAgain(range, of: member)
        }
        if case .broke(let failure) = outcome.ending, failure.isOfTheFile { return end(outcome.asEndOfWhole) }
        if member.place != 0 {
            // The others continue without it, and its source is backed off.
            return proceed(
                orElse: outcome.concernsOneConnection ? outcome.asInterruption(of: version.head) : outcome.asEndOfWhole)
        }
        if case .refused(let head) = member.state {
            return giveUp(
                ticket, member, ExchangeOutcome(ending: .responded, head: head, disposition: .refused(.changed)))
        }
        switch outcome.disposition {
        case .refused, .overlapDiffers: return giveUp(ticket, member, outcome)
        case .none, .written, .held, .partsDiffer: break
        }
        if outcome.hasBroken || member.isShort, won < Self.leastWon { return giveUp(ticket, member, outcome) }
        proceed()
    }

    /// Records its bytes, and returns their number.
    private mutating func release(_ ticket: Ticket, _ member: SegmentMember, _ outcome: ExchangeOutcome) -> Int64 {
        var written: Int64?
        if case .written(let length, _) = outcome.disposition { written = length }
        // The response is not of this version, so the bytes that it has written are fetched again.
        if case .refused = member.state { written = nil }
        if ticket == first { links.firstEnd = written ?? board.parts[first]?.start }
        let start = board.parts[ticket]?.start ?? written ?? 0
        board.end(ticket, written: written ?? start)
        let won = (written ?? start) - start
        if won == 0 { seams?.drop(at: start) }
        if member.place != 0, outcome.isOfAnotherVersion { sources.board.drop(member.place) }
        let isExpected = isOfProtocol(ticket, member, outcome) || hasOtherValidators(ticket, member, outcome)
        let hasFailed = outcome.hasFailed || member.isShort && won < Self.leastWon
        sources.board.remove(ticket, won: won, hasFailed: hasFailed && !isExpected, at: sight.now)
        return won
    }

    /// Whether a helper's request failed because the server may support only the protocol of the first connection: further helpers
    /// use that one.
    private func isOfProtocol(_ ticket: Ticket, _ member: SegmentMember, _ outcome: ExchangeOutcome) -> Bool {
        links.sharesConnection && ticket != first && member.connection == .undivided && outcome.head == nil
            && outcome.hasBroken && outcome.rejection == nil
    }

    /// Whether a helper was refused only because its node has other validators for a file of the same length, and a digest proves
    /// the whole file.
    private func hasOtherValidators(_ ticket: Ticket, _ member: SegmentMember, _ outcome: ExchangeOutcome) -> Bool {
        guard sources.isProvenByDigest, ticket != first, member.place == 0, member.isConditional else { return false }
        if case .refused(let head) = member.state {
            return head.status != 206 && !version.isThat(of: head) && isOfEqualLength(head)
        }
        guard outcome.disposition == .refused(.changed), let head = outcome.head else { return false }
        // The response to a failed precondition has no length.
        return head.status == 412 || head.status == 206 && isOfEqualLength(head)
    }

    /// A request failed: the other connections continue without it, if there are any.
    private mutating func giveUp(_ ticket: Ticket, _ member: SegmentMember, _ outcome: ExchangeOutcome) {
        var outcome = outcome
        if ticket != first, outcome.concernsOneConnection {
            if member.source == .servingURL, sources.isRedirected, !sources.usesOwnURL {
                sources.usesOwnURL = true
                return proceed()
            }
            links.refusesParts = true
            outcome = outcome.asInterruption(of: version.head)
        }
        guard !sources.board.isSpread else { return proceed(orElse: outcome.asEndOfWhole) }
        policy.refuse(running: running, at: sight.now)
        request()
        if members.isEmpty { return end(outcome.asEndOfWhole) }
        proceed()
    }
}

extension ExchangeOutcome {
    /// The outcome as the end of a whole of which it was a part.
    fileprivate var asEndOfWhole: ExchangeOutcome {
        var outcome = self
        if case .written = disposition { outcome.disposition = .none }
        return outcome
    }

    /// The outcome of the whole if this further connection was refused and none is left. The next attempt begins at the transfer's own
    /// URL, whose response counts.
    fileprivate func asInterruption(of whole: ResponseHead) -> ExchangeOutcome {
        let status = head?.status ?? 0
        let sentence =
            status >= 400
            ? "The server refused another connection (\(status)). Try again."
            : "Another connection did not receive the rest of this file. Try again."
        return ExchangeOutcome(ending: .broke(TransferFailure(.connectionLost, sentence)), head: whole)
    }

    /// Why the certificate of its source was rejected, if it was.
    fileprivate var rejection: TransferFailure? {
        if case .broke(let failure) = ending, failure.isAboutCertificate { failure } else { nil }
    }

    fileprivate var hasBroken: Bool { if case .broke = ending { true } else { false } }

    /// Whether it did not deliver what was requested.
    fileprivate var hasFailed: Bool {
        if hasBroken { return true }
        return switch disposition {
        case .refused, .overlapDiffers, .partsDiffer: true
        case .none, .written, .held: false
        }
    }

    var isOfTheFile: Bool { if case .broke(let failure) = ending { failure.isOfTheFile } else { false } }

    /// Whether the status concerns only one request: a signature has expired, or no second connection is allowed.
    fileprivate var isRefusedForGood: Bool {
        guard case .refused(.status) = disposition, let status = head?.status else { return false }
        return [400, 401, 403, 404, 410].contains(status)
    }

    /// Whether the source has another version, or does not send ranges.
    fileprivate var isOfAnotherVersion: Bool {
        switch disposition {
        case .refused(.changed), .refused(.lengthUnknown), .refused(.rangeUnusable), .overlapDiffers: true
        case .refused, .none, .written, .held, .partsDiffer: false
        }
    }

    /// Whether a further connection has a result that is not about the whole download.
    fileprivate var concernsOneConnection: Bool { isRefusedForGood || isOfAnotherVersion || rejection != nil }
}

extension TransferFailure {
    /// Whether it concerns the file and not the network: another connection would fail too.
    fileprivate var isOfTheFile: Bool { [.diskFull, .fileFailed, .destinationUnwritable].contains(code) }
}
