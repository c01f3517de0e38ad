import CCurl
import LonghaulCore
import LonghaulFiles

extension Exchange {
    /// Ends the transfer from outside libcurl's callbacks.
    func conclude(stop reason: ExchangeMachine.Stop) {
        guard wire.easy != nil else { return }
        if machine.stop == nil { machine.stop = reason }
        conclude(code: CURLE_ABORTED_BY_CALLBACK)
    }

    /// Lets libcurl go on from where it was told to rest.
    ///
    /// It hands over first what it had read by then, and when that is refused it says so here and nowhere else.
    func goOn() {
        guard let easy = wire.easy else { return }
        let code = thread.unpause(easy)
        // What ended before has no connection to go on with.
        if code != CURLE_OK, code != CURLE_BAD_FUNCTION_ARGUMENT { conclude(code: code) }
    }

    /// libcurl is done with the transfer, or is made to be.
    func conclude(code: CURLcode) {
        guard let easy = wire.easy else { return }
        var facts = ConnectionFacts(easy)
        facts.isPeerDead = thread.afterwards.dead.contains(port: easy.long(CURLINFO_LOCAL_PORT))
        facts.bytesSent += direct?.sent ?? 0
        direct?.drop()
        thread.yielding.remove(self)
        if code == CURLE_SEND_ERROR || code == CURLE_RECV_ERROR, body != nil, machine.head == nil, machine.stop == nil,
            let words = thread.afterwards.lastWords.heard(onLocalPort: easy.long(CURLINFO_LOCAL_PORT))
        {
            ResponseIntake(exchange: self).takeLastWords(words)
        }
        let hasComplained = easy.hasComplained
        var code = code
        if hasEndedWhole(code, hasComplained: hasComplained), let body {
            code = CURLE_OK
            facts.bytesSent = body.length
        }
        leave(easy, code: code)
        if let following = machine.follow() { return follow(following) }
        if repeatRequest(after: code, facts, hasComplained: hasComplained) { return }
        finish(code, &facts)
    }

    private func leave(_ easy: EasyHandle, code: CURLcode) {
        VersionChoice(exchange: self).judge(easy, code: code)
        identity.cookies?.keep(with: easy)
        leaveConnection()
        wire.easy = nil
        // A handle that failed early keeps a buffer whose size cannot be set any more.
        thread.remove(easy, canBeReused: code == CURLE_OK)
    }

    private func follow(_ following: ExchangeMachine.Following) {
        if following.dropsSecrets { identity.leaveOrigin() }
        if following.dropsBody {
            body = nil
            identity.dropBody()
        }
        if let body { repetition.sendAgain(body) }
        transfer()
    }

    /// No other request follows.
    private func finish(_ code: CURLcode, _ facts: inout ConnectionFacts) {
        // Of a stream that broke off on HTTP/2 libcurl 7.88 counts less than left. What it was given is a bound: a server
        // that has more than was sent is not believed, and would get the whole body again.
        if code != CURLE_OK, let body { facts.bytesSent = max(facts.bytesSent, body.position) }
        checkSources()
        if let heads = wire.collector.takeHeads() { thread.emit(ticket, heads) }
        let end = ExchangeMachine.End(
            isClean: code == CURLE_OK, requestLeft: facts.requestLeft, bytesSent: facts.bytesSent,
            mostSent: repetition.mostSent, file: receiver.sight)
        var outcome = machine.outcome(end) { [facts] in curlFailure(code, of: self, facts: facts) }
        outcome.endsUnverified = outcome.ending == .responded && !wire.delimitsBody
        if case .writing(let file) = receiver {
            settle(file, outcome)
        } else if machine.isOver(outcome) {
            thread.end(self, outcome)
        }
    }

    /// Whether libcurl stumbled over the end of a stream that had ended well: its last bytes are sent, the answer is there, and version
    /// 8 says that it cannot send on a stream that is closed, or version 7 that the connection has nothing more to do.
    private func hasEndedWhole(_ code: CURLcode, hasComplained: Bool) -> Bool {
        guard !hasComplained, code == (LibcurlFeature.isSeven ? CURLE_HTTP2 : CURLE_SEND_ERROR), machine.stop == nil,
            let head = machine.head, let body, body.position == body.length
        else { return false }
        return !machine.hasBody(head) || head.announcedBodyLength == wire.given
    }

    /// Has a connection of HTTP/2 closed over which the server would go on with up to 32 MiB that nobody wants. libcurl asks as it ends.
    func leaveConnection() {
        guard crew != nil, let file, let easy = wire.easy else { return }
        if file.leftOut >= SegmentBoard.leastUnmeasuredWork { easy.set(CURLOPT_FORBID_REUSE, 1) }
    }

    /// An answer to bytes that may not be those that were submitted counts for nothing.
    private func checkSources() {
        guard machine.stop == nil, machine.head != nil, let body else { return }
        do throws(TransferFailure) {
            try body.checkWhatWasLent()
        } catch {
            machine.stop = .failure(error)
        }
    }
}

extension BodyReceiver {
    /// What became of a body that goes to a partial file.
    fileprivate var sight: ExchangeMachine.FileSight? {
        switch self {
        case .comparing(let comparison): .comparing(upTo: comparison.end)
        case .writing(let file): .writing(isShort: file.missing ?? 0 > 0)
        case .nobody, .settling, .closing: nil
        }
    }
}
