import CCurl
import LonghaulCore

extension Exchange {
    /// Ends the transfer from outside libcurl's callbacks.
    func conclude(stop reason: Stop) {
        if stop == nil { stop = reason }
        conclude(code: CURLE_ABORTED_BY_CALLBACK)
    }

    /// Lets libcurl go on from where it was told to rest.
    ///
    /// It hands over first what it had read by then, and when that is refused it says so here and nowhere else.
    func goOn(_ easy: EasyHandle) {
        let code = thread.unpause(easy)
        // What ended before has no connection to go on with.
        if code != CURLE_OK, code != CURLE_BAD_FUNCTION_ARGUMENT { conclude(code: code) }
    }

    /// libcurl is done with the transfer, or is made to be.
    func conclude(code: CURLcode) {
        guard case .transferring(let easy) = stage else { return }
        dropTaken()
        thread.yielding.remove(self)
        var facts = ConnectionFacts(easy)
        facts.bytesSent += sentDirectly
        if code == CURLE_SEND_ERROR || code == CURLE_RECV_ERROR, body != nil, head == nil, stop == nil,
            let words = thread.lastWords.heard(onLocalPort: easy.long(CURLINFO_LOCAL_PORT))
        {
            takeLastWords(words)
        }
        let hasComplained = easy.hasComplained
        var code = code
        if hasEndedWhole(code, hasComplained: hasComplained), let body {
            code = CURLE_OK
            facts.bytesSent = body.length
        }
        judgeHTTP3(easy, code: code)
        identity.cookies?.keep(with: easy)
        leaveConnection()
        // A handle that failed early keeps a buffer whose size cannot be set any more.
        thread.remove(easy, canBeReused: code == CURLE_OK)
        if case .redirecting(let next) = reception, endsByItself {
            return follow(next)
        }
        if repeatRequest(after: code, facts, hasComplained: hasComplained) { return }
        // Of a stream that broke off on HTTP/2 libcurl 7.88 counts less than left. What it was given is a bound: a server
        // that has more than was sent is not believed, and would get the whole body again.
        if code != CURLE_OK, let body { facts.bytesSent = max(facts.bytesSent, body.position) }
        checkSources()
        if let heads = collector.takeHeads() { thread.emit(ticket, heads) }
        let outcome = ExchangeOutcome(
            ending: ending(code: code, facts: facts), head: head, body: kept,
            isBodyTruncated: isBodyTruncated(code: code), disposition: disposition(code: code),
            requestLeft: facts.requestLeft, bytesSent: hasSuccess ? facts.bytesSent : max(facts.bytesSent, mostSent))
        switch reception {
        case .writing(let file): settle(file, outcome)
        case .held where outcome.ending == .responded: stage = .heldAtEnd(outcome)
        case .awaitingHead, .redirecting, .keeping, .keepingRefusal, .held, .comparing:
            thread.end(self, outcome)
        }
    }

    /// Whether libcurl stumbled over the end of a stream that had ended well: its last bytes are sent, the answer is there, and version
    /// 8 says that it cannot send on a stream that is closed, or version 7 that the connection has nothing more to do.
    private func hasEndedWhole(_ code: CURLcode, hasComplained: Bool) -> Bool {
        guard !hasComplained, code == (LibcurlFeature.isSeven ? CURLE_HTTP2 : CURLE_SEND_ERROR), stop == nil,
            let head, let body, body.position == body.length
        else { return false }
        return !hasBody(head) || head.announcedBodyLength == given
    }

    /// Has a connection of HTTP/2 closed over which the server would go on with up to 32 MiB that nobody wants. libcurl asks as it ends.
    func leaveConnection() {
        guard crew != nil, case .writing(let file) = reception, case .transferring(let easy) = stage else { return }
        if file.leftOut >= SegmentBoard.leastUnmeasuredWork { easy.set(CURLOPT_FORBID_REUSE, 1) }
    }

    /// A success speaks of the last request alone; without a success, a server may have more of an earlier request.
    private var hasSuccess: Bool { head.map { (200..<300).contains($0.status) } ?? false }

    /// An answer to bytes that may not be those that were submitted counts for nothing.
    private func checkSources() {
        guard stop == nil, head != nil, let body else { return }
        do throws(TransferFailure) {
            try body.checkWhatWasLent()
        } catch {
            stop = .failure(error)
        }
    }

    /// Waits for a worker to write the last bytes; a checkpoint under way comes first. A body that may be held needs nobody.
    func settle(_ file: PartialFile, _ outcome: ExchangeOutcome) {
        reception = .awaitingHead
        if case .partial(let plan) = plan.sink, plan.mayBeHeld, outcome.ending == .responded, thread.hold(file) {
            var outcome = outcome
            outcome.disposition = .held(length: file.taken)
            return thread.end(self, outcome)
        }
        let keepsConnection = !file.isCut && !hasReceivedDirectly && outcome.ending == .responded
        crew?.settled(self, at: file.position, keepsConnection: keepsConnection)
        stage = .settling(outcome, file)
        close()
    }

    func synced(_ result: Result<Int64, TransferFailure>) {
        if let crew, crew.isSyncing {
            crew.synced(result)
        } else {
            isSyncing = false
            switch result {
            case .success(let length):
                syncedLength = length
                if !isPartOfCrew { thread.emit(ticket, .checkpoint(length)) }
            case .failure(let failure): syncFailed(failure)
            }
            crew?.concludeIfAllEnded()
        }
        close()
    }

    func closed(_ end: PartialFile.End) {
        writer?.join()
        guard case .settling(var outcome, _) = stage else { return }
        let isComplete = end.failure == nil && outcome.ending == .responded
        let length = end.length.map { min($0, lengthBeforeFailedSync ?? $0) }
        outcome.disposition = length.map { .written(length: $0, isComplete: isComplete) } ?? .none
        if let failure = end.failure, outcome.ending == .responded { outcome.ending = .broke(failure) }
        thread.end(self, outcome)
    }

    /// What was written since the last good sync may be lost, and no later sync says so again (fsync(2)).
    func syncFailed(_ failure: TransferFailure) {
        lengthBeforeFailedSync = syncedLength
        switch stage {
        case .transferring: conclude(stop: .failure(failure))
        case .settling(var outcome, let file):
            if outcome.ending == .responded { outcome.ending = .broke(failure) }
            stage = .settling(outcome, file)
        case .heldBack, .heldAtEnd, .parked: break
        }
    }

    private func close() {
        // A sync of what it has written comes first; that of a file with holes is its crew's.
        guard case .settling(let outcome, let file?) = stage, !isSyncing, isPartOfCrew || crew?.isSyncing != true else {
            return
        }
        stage = .settling(outcome, nil)
        thread.close(file, of: self)
    }

    /// Whether nothing but the response itself ended the transfer.
    private var endsByItself: Bool {
        switch stop {
        case nil, .enough: true
        case .failure, .overlapDiffers, .cancelled: false
        }
    }

    private func ending(code: CURLcode, facts: ConnectionFacts) -> ExchangeOutcome.Ending {
        switch stop {
        case .cancelled: return .cancelled
        case .failure(let failure): return .broke(failure)
        case .overlapDiffers, .enough: return .responded
        case nil: break
        }
        switch reception {
        // The status is what counts; its body may break off.
        case .keepingRefusal: return .responded
        case .comparing where code == CURLE_OK: return .broke(tooShort)
        case .writing(let file) where code == CURLE_OK && file.missing ?? 0 > 0: return .broke(tooShort)
        // libcurl takes a head that breaks off within a line for the end of a response.
        case .awaitingHead where code == CURLE_OK:
            return .broke(
                TransferFailure(
                    .connectionLost,
                    "The connection to \(host) was lost before its answer was there. It is tried again."))
        // A success that came before the body had left would be one for a file that did not arrive.
        case .keeping where facts.bytesSent < body?.length ?? 0:
            return .broke(
                TransferFailure(
                    .connectionLost,
                    "\(host) answered before it had all of the body, and took no more. It is tried again."))
        case .awaitingHead, .redirecting, .keeping, .held, .comparing, .writing:
            return code == CURLE_OK ? .responded : .broke(curlFailure(code, of: self, facts: facts))
        }
    }

    private var tooShort: TransferFailure {
        TransferFailure(.lengthMismatch, "\(host) sent fewer bytes than it had announced. It is tried again.")
    }

    private func isBodyTruncated(code: CURLcode) -> Bool {
        if isTruncated { return true }
        switch reception {
        case .keeping, .keepingRefusal: return code != CURLE_OK
        case .awaitingHead, .redirecting, .held, .comparing, .writing: return false
        }
    }

    /// What became of the body; for a partial file that is being written `closed` says it later.
    private func disposition(code: CURLcode) -> ExchangeOutcome.Disposition {
        if case .overlapDiffers = stop { return .overlapDiffers }
        if let refusal { return .refused(refusal) }
        if case .comparing(let comparison) = reception {
            return .written(length: comparison.file.start, isComplete: false)
        }
        return .none
    }

    private func follow(_ next: NextRequest) {
        hops += 1
        if next.dropsSecrets { identity.leaveOrigin() }
        if next.method != method, body != nil {
            body = nil
            identity.dropBody()
        }
        mostSent = max(mostSent, body?.position ?? 0)
        body?.rewind()
        url = next.url
        method = next.method
        head = nil
        stop = nil
        if body == nil { hold = .none }
        transfer()
    }
}
