import CCurl
import LonghaulCore

/// One HTTP exchange, redirects included, from its start to its one ending event. Owned by the network thread.
final class Exchange {
    typealias Stage = ExchangeStage
    typealias Reception = ExchangeReception
    typealias NextRequest = ExchangeReception.NextRequest
    typealias Stop = ExchangeStop

    let ticket: Ticket
    var plan: ExchangePlan
    let progress: ProgressCell
    unowned let thread: NetworkThread

    var stage = Stage.heldBack
    var reception = Reception.awaitingHead
    var stop: Stop?
    var hold: BodyHold

    var url: TransferURL
    var method: String
    var identity: ExchangeIdentity
    var body: RequestBody?
    var hops = 0
    var allowance: Int64?
    var hasReportedAllowance = false
    /// The limit. libcurl's own comes in bursts, counts what was moved before a change of it, and may then rest for long.
    var pace: Pace?
    /// Until when the pace rests.
    var restsUntil: Int64?

    var collector = HeaderCollector()
    var head: ResponseHead?
    var kept: [UInt8] = []
    var isTruncated = false
    var refusal: DownloadVerdict.Refusal?
    var expectation = ContinueExpectation.untried
    var repetition = Repetition()
    /// Whether this request may be answered by HTTP/3.
    var triesHTTP3 = false
    var hasReportedBodySent = false
    /// When that is to be reported, if it is true by then.
    var bodySentDue: Int64 = 0
    /// Whether the rest of the body is refused.
    var isUnwanted = false

    /// The connection's socket, as libcurl watched it last.
    var socket: Int32?
    /// The connection, while the engine itself moves the body.
    var taken: TakenSocket?
    /// Bytes of the request's body that did not pass through libcurl.
    var sentDirectly: Int64 = 0
    /// The most that an earlier request or connection of this exchange may have got of the body.
    var mostSent: Int64 = 0
    /// Bytes of the response's body that libcurl has given.
    var given: Int64 = 0
    /// Whether a part of the response's body was received past libcurl. libcurl then waits for bytes that never come.
    var hasReceivedDirectly = false
    /// Whether libcurl is to read no more than it has.
    var isTakingOver = false
    /// Whether the connection could not be taken over, or was given back.
    var mustUseLibcurl = false
    /// The thread that writes the partial file; to be waited for.
    var writer: PieceWriter?
    /// Those who fetch ranges of one file together, of whom this is one.
    var crew: SegmentCrew?

    var activity = Activity()
    var lastCheckpoint: Int64 = 0
    var isSyncing = false
    /// The file's length that is on stable storage for certain, once a sync has failed.
    var lengthBeforeFailedSync: Int64?
    var syncedLength: Int64 = 0

    init(
        ticket: Ticket, plan: ExchangePlan, url: TransferURL, cookies: CookieJar?, progress: ProgressCell,
        thread: NetworkThread
    ) {
        self.ticket = ticket
        self.plan = plan
        self.url = url
        self.progress = progress
        self.thread = thread
        method = plan.method
        identity = ExchangeIdentity(plan, cookies: cookies)
        body = plan.body.map(RequestBody.init)
        pace = plan.rateLimit.map { Pace(rate: $0, at: thread.now) }
        allowance = plan.allowance
        hold = plan.body?.holdsLastBytes == true ? .armed : .none
    }

    var host: String { url.host }

    /// Begins, or reports at once that the whole request is held back.
    func begin() {
        if case .partial(let partial) = plan.sink { thread.forgetHeld(path: partial.path) }
        if hold == .armed, body?.length == 0 {
            hold = .held
            thread.emit(ticket, .lastBytesHeld)
        } else {
            transfer()
        }
    }

    func release(_ decision: ReleaseDecision) {
        switch decision {
        case .sendRest: sendRest()
        case .writeFromStart: writeFromStart()
        case .openSegments: crew?.open()
        }
    }

    func cancel() {
        if let crew, crew.isOpen, !isHelper { return crew.end(.cancelled) }
        cancelAlone()
    }

    func cancelAlone() {
        switch stage {
        case .heldBack: thread.end(self, ExchangeOutcome(ending: .cancelled, requestLeft: false))
        case .transferring: conclude(stop: .cancelled)
        case .heldAtEnd(var outcome):
            outcome.ending = .cancelled
            thread.end(self, outcome)
        // It is ending already.
        case .settling, .parked: break
        }
    }

    func setRateLimit(_ limit: Int64?) {
        plan.rateLimit = limit
        pace = limit.map { Pace(rate: $0, at: thread.now) }
        for exchange in crew?.members ?? [self] { exchange.noteLimit() }
    }

    private func noteLimit() {
        guard case .transferring = stage else { return }
        // Only what passes through libcurl is slowed.
        if owner.pace != nil { giveBack() }
        if restsUntil != nil { endRest() }
    }

    private func sendRest() {
        guard hold == .held else { return }
        hold = .released
        switch stage {
        case .heldBack: transfer()
        case .transferring(let easy): goOn(easy)
        // The response was there before the permission.
        case .heldAtEnd, .settling, .parked: break
        }
    }

    private func writeFromStart() {
        guard case .partial(let plan) = plan.sink, case .held(let bodyLength) = reception else { return }
        let file = PartialFile(
            path: plan.path, start: 0, bodyLength: bodyLength, digests: plan.digests, pieceSize: thread.pieceSize)
        do throws(TransferFailure) {
            // Also when the body is small: what is there belongs to the old version and goes now.
            try file.open()
            choosePath(of: file)
        } catch {
            return failHeld(error)
        }
        if let head {
            thread.emit(ticket, .receiving(head))
            SegmentCrew.note(self, file, head)
        }
        reception = .writing(file)
        lastCheckpoint = 0
        switch stage {
        case .transferring(let easy): goOn(easy)
        case .heldAtEnd(var outcome):
            outcome.disposition = .written(length: 0, isComplete: outcome.ending == .responded)
            settle(file, outcome)
        case .heldBack, .settling, .parked: break
        }
    }

    private func failHeld(_ failure: TransferFailure) {
        if case .heldAtEnd(var outcome) = stage {
            outcome.ending = .broke(failure)
            thread.end(self, outcome)
        } else {
            conclude(stop: .failure(failure))
        }
    }
}
