import LonghaulCore
import LonghaulFiles

/// Where the members of a crew ask: the place of the first one, and mirrors of which it would be found out that they have another version.
struct CrewPlaces {
    var board: MirrorBoard
    /// Beside the first one's own, which is not among them.
    private let others: [MirrorPlan.Place]
    let isProvenByDigest: Bool

    init(_ plan: MirrorPlan, _ first: Exchange, _ version: SegmentVersion) {
        let offered = DigestFields.offered(in: version.head.headers, isWhole: version.head.status == 200)
        isProvenByDigest = plan.isProvenByDigest || !offered.isEmpty
        var others = plan.places
        for url in DuplicateLinks.urls(in: version.head) where !others.contains(where: { $0.url == url }) {
            others.append(MirrorPlan.Place(url: url, headers: first.plan.commonHeaders, isAtHome: false))
        }
        let isProvable = isProvenByDigest || ResumeLadder.hasSettledTag(version.validators)
        self.others = isProvable ? others : []
        board = MirrorBoard([first.plan.url] + self.others.map(\.url))
        board.sit(first.ticket, at: 0)
    }

    /// A mirror; `nil` for the first one's own place.
    subscript(place: Int) -> MirrorPlan.Place? { place == 0 ? nil : others[place - 1] }
}

// Members at other places than the first one's.
extension SegmentCrew {
    /// Whether it asks a mirror: what it says is not about the version that the first one gets.
    func isStray(_ member: Exchange) -> Bool { places.board.seat(of: member.ticket).map { $0 != 0 } ?? false }

    /// Asks for what the board has planned for it.
    func begin(_ planned: PlannedHelper) {
        let ticket = planned.ticket
        guard let part = board.parts[ticket] else { return }
        // Those that were planned after it have some of what it was to bring at first.
        board.shorten(ticket, to: part.end)
        var point = ResumePoint(
            length: part.start, overlap: SegmentSeams.overlap(before: part.start), validators: version.validators)
        point.end = part.end
        point.map = syncs.synced
        let helper = places[planned.place].flatMap { makeStray(ticket, at: $0, point) } ?? makeHelper(ticket, point)
        helper.crew = self
        notes.successors[ticket] = planned.shortened
        helper.begin()
    }

    private func makeHelper(_ ticket: Ticket, _ point: ResumePoint) -> Exchange {
        let own = notes.asksOwnURL ? try? TransferURL(parsing: first.plan.url) : nil
        let sent = own == nil ? first.identity.headers : first.plan.headers
        let headers = sent.filter { !$0.asksForPart } + ResumeLadder.headers(for: point, in: part)
        let url = own ?? first.url
        let helper = first.thread.makeHelper(
            ticket, plan(url.text, headers, point, first.plan.network), to: url, for: first)
        if own != nil { helper.identity.returnToOrigin() }
        return helper
    }

    private func makeStray(_ ticket: Ticket, at place: MirrorPlan.Place, _ point: ResumePoint) -> Exchange? {
        // It was read when the transfer was accepted, or when the answer that named it came.
        guard let url = try? TransferURL(parsing: place.url) else { return nil }
        var point = point
        point.isElsewhere = true
        point.validators = point.validators.elsewhere(isProvenByDigest: places.isProvenByDigest)
        let network = place.isAtHome ? first.plan.network : first.plan.network.withoutIdentity
        let headers = place.headers.filter { !$0.asksForPart } + ResumeLadder.headers(for: point, in: part)
        let helper = first.thread.makeHelper(ticket, plan(url.text, headers, point, network), to: url, for: first)
        if !place.isAtHome { helper.identity.leaveOrigin() }
        return helper
    }

    private func plan(
        _ url: String, _ headers: [HeaderField], _ point: ResumePoint, _ network: NetworkOptions
    ) -> ExchangePlan {
        var partial = PartialPlan(path: target.path, resume: point, digests: [], checkpointInterval: .max)
        partial.range = part
        return ExchangePlan(
            method: "GET", url: url, headers: headers, body: nil, sink: .partial(partial),
            network: CopyOnWrite(network), followsOnlyRepeatingRedirects: first.plan.followsOnlyRepeatingRedirects,
            connection: connection)
    }

    /// Those with connections of their own speak HTTP/1.1: by that one goes on over a connection that another one has left, whose window is
    /// open, and no stream shares it.
    private var connection: ConnectionUse {
        guard partsWays else { return .any }
        return notes.refusesHTTP1 ? .unused : .undivided
    }

    /// Those of helpers that share none. Nobody else gets them: libcurl takes a host for one that shares none when such a connection is
    /// made beside others.
    var connections: MultiHandle {
        let connections = notes.connections ?? first.thread.multis.make()
        notes.connections = connections
        connections.keep(grant.allowed)
        return connections
    }

    /// For how many seconds the next helper brings nothing: over a connection that is there until its answer comes, else until it has made one
    /// (three round trips) and its window is open (five).
    var delay: Double { Double(way?.roundTrip ?? 0) * (notes.warm > 0 ? 1 : 8) / 1e9 }

    /// Whether a helper was not answered where it may be that the server only speaks as it does with the first one: then further
    /// ones ask in that way.
    func isOfProtocol(_ member: Exchange, _ outcome: ExchangeOutcome) -> Bool {
        guard notes.sharesConnection, member.isHelper, member.plan.connection == .undivided, outcome.head == nil,
            case .broke = outcome.ending
        else { return false }
        notes.refusesHTTP1 = true
        return true
    }

    /// Its place has another version, or none that can be fetched in parts.
    func drop(_ member: Exchange) {
        dropPlace(of: member)
        member.cancelAlone()
    }

    func dropPlace(of member: Exchange) {
        if let place = places.board.seat(of: member.ticket) { places.board.drop(place) }
    }

    /// The others do without it, and its place is left alone for a while.
    func endedElsewhere(_ member: Exchange, _ outcome: ExchangeOutcome) {
        if case .broke(let failure) = outcome.ending, failure.isOfTheFile { return end(.outcome(outcome.asEndOfWhole)) }
        notes.wholes[member.ticket] = nil
        measure()
        assign()
        if isIdle { end(.outcome(outcome.isRefusedForGood ? interruption(by: outcome) : outcome.asEndOfWhole)) }
    }

    /// The end of the whole, if a further connection was refused and none is left. The next attempt begins at the transfer's own
    /// URL, whose answer counts.
    private func interruption(by outcome: ExchangeOutcome) -> ExchangeOutcome {
        brokenBy(
            TransferFailure(
                .connectionLost,
                "The server refused a further connection (status \(outcome.head?.status ?? 0)). Try again."))
    }

    /// A request was not answered as it should be: the others do without it, if there are any.
    func giveUp(on member: Exchange, _ outcome: ExchangeOutcome) {
        var outcome = outcome
        if member.isHelper, outcome.isRefusedForGood {
            let url = first.plan.url
            if member.plan.url != url, first.url.text != url {
                notes.asksOwnURL = true
                measure()
                return assign()
            }
            outcome = interruption(by: outcome)
        }
        if !places.board.isSpread { refuse(besides: member) }
        measure()
        if isIdle, !places.board.isSpread { return end(.outcome(outcome.asEndOfWhole)) }
        assign()
        if isIdle { end(.outcome(outcome.asEndOfWhole)) }
    }

    private var isIdle: Bool { !isEnding && !members.contains(where: \.isAtWork) && board.parts.isEmpty }

    private func refuse(besides member: Exchange) {
        policy.refuse(running: members.count { $0.isAtWork && $0 !== member }, at: first.thread.now)
        ask()
    }

    /// Before what the file holds is told, of which it is a part.
    func tellPlaces() {
        guard places.board.isSpread else { return }
        let news = places.board.takeNews(underWay: board.parts.mapValues { $0.position - $0.start })
        if !news.isEmpty { first.thread.emit(first.ticket, .places(news)) }
    }
}

extension ExchangePlan {
    /// What is sent to any place, secrets left out.
    fileprivate var commonHeaders: [HeaderField] { headers.filter { !$0.isSecret && !$0.asksForPart } }
}

extension HeaderField {
    fileprivate var asksForPart: Bool {
        ["range", "if-range", "if-match", "if-unmodified-since", "if-modified-since"].contains(name.lowercased())
    }
}

extension ExchangeOutcome {
    /// Whether it did not bring what was asked for.
    fileprivate var isRefusal: Bool {
        switch disposition {
        case .refused, .overlapDiffers: true
        case .none, .written, .held: false
        }
    }

    var hasFailed: Bool {
        if case .broke = ending { return true }
        return isRefusal
    }

    /// Whether the status speaks of one request: a signature has expired, or no second connection is allowed.
    fileprivate var isRefusedForGood: Bool {
        guard case .refused(.status) = disposition, let status = head?.status else { return false }
        return [400, 401, 403, 404, 410].contains(status)
    }

    /// Whether the place that gave it has another version, or does not send parts.
    var isOfAnotherVersion: Bool {
        switch disposition {
        case .refused(.changed), .refused(.lengthUnknown), .refused(.rangeUnusable), .overlapDiffers: true
        case .refused, .none, .written, .held: false
        }
    }
}
