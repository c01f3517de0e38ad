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

    /// Resumes a transfer that libcurl had paused.
    ///
    /// libcurl first passes on the bytes that it had read. If they are refused, only the result of this call says so.
    func proceed() {
        guard let easy = wire.easy else { return }
        let code = thread.unpause(easy)
        // A transfer that ended before has no connection to resume.
        if code != CURLE_OK, code != CURLE_BAD_FUNCTION_ARGUMENT { conclude(code: code) }
    }

    /// Ends the transfer, by libcurl's result or by order.
    func conclude(code: CURLcode) {
        guard let easy = wire.easy else { return }
        var facts = ConnectionFacts(easy)
        facts.isPeerDead = thread.deferred.dead.contains(port: easy.long(CURLINFO_LOCAL_PORT))
        facts.bytesSent += direct?.sent ?? 0
        direct?.drop()
        thread.yielding.remove(self)
        if code == CURLE_SEND_ERROR || code == CURLE_RECV_ERROR, body != nil, machine.head == nil, machine.stop == nil,
            let words = thread.deferred.unreadResponses.heard(onLocalPort: easy.long(CURLINFO_LOCAL_PORT))
        {
            ResponseIntake(exchange: self).takeUnreadResponses(words)
        }
        let hasComplained = easy.hasComplained
        var code = code
        if hasEndedWhole(code, hasComplained: hasComplained), let body {
            (code, facts.bytesSent) = (CURLE_OK, body.length)
        }
        detach(easy, code: code)
        if let following = machine.follow() { return follow(following) }
        let usesOtherProxy = ProxyRepetition(exchange: self).run(after: code, facts)
        if usesOtherProxy || repeatRequest(after: code, facts, hasComplained: hasComplained) { return }
        finish(code, &facts)
    }

    private func detach(_ easy: EasyHandle, code: CURLcode) {
        VersionChoice(exchange: self).evaluate(easy, code: code)
        machine.recordSavedCookies(identity.cookies?.save(with: easy), isClean: code == CURLE_OK)
        leaveConnection()
        wire.easy = nil
        // A handle that failed early keeps a buffer whose size cannot be set any more.
        code == CURLE_OK ? thread.remove(easy, of: self) : thread.remove(easy, canBeReused: false)
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

    /// Finishes the exchange: no other request follows.
    private func finish(_ code: CURLcode, _ facts: inout ConnectionFacts) {
        // For an interrupted stream on HTTP/2, libcurl 7.88 counts fewer bytes than were sent. The bytes passed to libcurl are an upper
        // bound. Without this bound, a server that has more than was counted would not be believed, and would get the whole body again.
        if code != CURLE_OK, let body { facts.bytesSent = max(facts.bytesSent, body.position) }
        checkSources()
        if let heads = wire.collector.takeHeads() { thread.emit(ticket, heads) }
        let end = ExchangeMachine.End(
            isClean: code == CURLE_OK, requestLeft: facts.requestLeft, bytesSent: facts.bytesSent,
            mostSent: repetition.mostSent, file: receiver.sight)
        var outcome = machine.outcome(end) { [facts] in curlFailure(code, of: self, facts: facts) }
        outcome.endsUnverified = outcome.ending == .responded && !wire.delimitsBody
        if case .writing(let file) = receiver {
            finishWriting(file, outcome)
        } else if machine.isOver(outcome) {
            thread.end(self, outcome)
        }
    }

    /// Returns whether libcurl reported an error for a stream that ended well. The last bytes were sent and the response has arrived, but
    /// version 8 reports that it cannot send on a closed stream, or version 7 that the connection has nothing more to do.
    private func hasEndedWhole(_ code: CURLcode, hasComplained: Bool) -> Bool {
        guard !hasComplained, code == (LibcurlFeature.isSeven ? CURLE_HTTP2 : CURLE_SEND_ERROR), machine.stop == nil,
            let head = machine.head, let body, body.position == body.length
        else { return false }
        return !machine.hasBody(head) || head.announcedBodyLength == wire.given
    }

    /// Closes an HTTP/2 connection on which the server would still send up to 32 MiB that are not needed. libcurl checks the option when
    /// the transfer ends.
    func leaveConnection() {
        guard segmentPool != nil, let file, let easy = wire.easy else { return }
        if file.leftOut >= SegmentAllocator.leastUnmeasuredWork { easy.set(CURLOPT_FORBID_REUSE, 1) }
    }

    /// Discards a response to bytes that may differ from the submitted ones.
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
    /// The state of a body that is written to a partial file.
    fileprivate var sight: ExchangeMachine.PartialFileState? {
        switch self {
        case .comparing(let comparison): .comparing(upTo: comparison.end)
        case .writing(let file): .writing(isShort: file.missing ?? 0 > 0)
        case .nobody, .settling, .closing: nil
        }
    }
}
