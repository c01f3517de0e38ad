import CCurl
import LonghaulCore
import LonghaulSystem

/// Takes a response from libcurl: its headers, line by line, and its body.
struct ResponseIntake {
    let exchange: Exchange

    var url: TransferURL { exchange.url }
    var thread: NetworkThread { exchange.thread }

    /// Takes a header line. Returns how many bytes were taken; fewer end the transfer.
    func takeLine(_ line: UnsafeRawBufferPointer) -> Int {
        // Trailers of a chunked body are not used.
        guard case .asking(.awaitingHead) = exchange.machine.phase else { return line.count }
        if exchange.body != nil, LibcurlFeature.isSeven, line.starts(with: "HTTP/2 2".utf8) { readOn() }
        switch exchange.wire.collector.receive(line) {
        case .more: return line.count
        case .complete(let status, let headers):
            if (100...199).contains(status) { return line.count }
            exchange.identity.cookies?.add(headers)
            if let heads = exchange.wire.collector.takeHeads() { thread.emit(exchange.ticket, heads) }
            finalHeadArrived(ResponseHead(status: status, headers: headers, effectiveURL: url.text))
            return exchange.machine.stop == nil ? line.count : 0
        case .tooLong:
            return abort("\(url.site) sent more than 256 KiB of response headers. Report it to its operator.")
        case .malformed: return abort("\(url.site) sent a response that is not HTTP. Report it to its operator.")
        }
    }

    /// Ignores the announced length. If a success arrives early on HTTP/2, libcurl 7.88 must continue to read until its
    /// stream ends, or it misses how much more may be sent. It would stop at the announced length, which nghttp2 has
    /// compared with the frames by then.
    private func readOn() { exchange.wire.easy?.set(CURLOPT_IGNORE_CONTENT_LENGTH, 1) }

    private func finalHeadArrived(_ head: ResponseHead) {
        let isDownload = if case .partial = exchange.plan.sink { true } else { false }
        guard exchange.machine.receive(isDownload ? head.dated(by: SystemClock.wallTime()) : head) else { return }
        let isShared = recordConnection(head)
        exchange.wire.delimitsBody = head.delimitsBody || marksEnd(isShared)
        VersionChoice(exchange: exchange).recordResponse(head)
        if exchange.direct?.isSending == true { exchange.machine.answeredWhileSending() }
        if head.status == 407 {
            let challenges = Challenge.all(in: head.headers.all("Proxy-Authenticate"))
            if ProxyRepetition(exchange: exchange).answers(challenges, isTunnel: false) {
                return exchange.machine.answerChallenge()
            }
        } else {
            exchange.repetition.proxyAnswers = 0
        }
        if exchange.identity.takeChallenge(of: head, from: url) { return exchange.machine.answerChallenge() }
        if exchange.identity.lacksTicket {
            exchange.machine.stop = .failure(RetryPolicy.lackOfTicket(for: url.site))
            return
        }
        if exchange.machine.hasStoppedSending { thread.endSending(exchange) }
        let hasGivenAll = exchange.body.map { $0.position == $0.length } ?? true
        let sight = ExchangeMachine.HeadContext(now: thread.now, isShared: isShared, hasGivenAll: hasGivenAll)
        switch exchange.machine.decide(sight) {
        case .nothing: endUnlessChecked(head)
        case .report(let head): thread.emit(exchange.ticket, .head(head))
        case .write(let start, let bodyLength): write(from: start, bodyLength: bodyLength)
        case .compare(let from, let overlap, let bodyLength):
            compare(from: from, overlap: overlap, bodyLength: bodyLength)
        }
    }

    /// Ends the check of some blocks if the response has another body: it may be the whole file.
    private func endUnlessChecked(_ head: ResponseHead) {
        guard exchange.isHelper, case .memory(let limit) = exchange.plan.sink, !(300...399).contains(head.status),
            head.status != 206 || head.announcedBodyLength.map({ $0 > limit }) ?? false
        else { return }
        exchange.machine.stop = .enough
    }

    /// Returns whether the connection carries other exchanges too.
    private func recordConnection(_ head: ResponseHead) -> Bool {
        guard let easy = exchange.wire.easy, url.scheme == "https" || exchange.machine.hops > 0 else { return false }
        let isShared = exchange.recordSharing(easy)
        if isShared, let socket = exchange.wire.socket { easy.recordStreams(on: socket) }
        // The end of a stream is always marked.
        if url.scheme == "https", !isShared, head.headers.all("Content-Length").isEmpty { easy.demandClosingAlert() }
        return isShared
    }

    /// Returns whether the protocol marks the end of a body without a length. TLS closes with an alert, and HTTP/3 ends
    /// its streams. libcurl reports an HTTP/2 stream that was reset without an error like one that ended.
    private func marksEnd(_ isShared: Bool) -> Bool {
        guard url.scheme == "https", let easy = exchange.wire.easy else { return false }
        return !isShared || !easy.speaksHTTP2
    }

    /// Takes the headers of a refusal that arrived although sending failed. A success would be invalid there, because
    /// the body was not sent.
    func takeUnreadResponses(_ bytes: [UInt8]) {
        guard UnreadResponses.areRefusal(bytes) else { return }
        bytes.withUnsafeBytes { bytes in
            var rest = bytes[...]
            while let end = rest.firstIndex(of: UInt8(ascii: "\n")) {
                let line = UnsafeRawBufferPointer(rebasing: rest[...end])
                rest = rest[(end + 1)...]
                guard takeLine(line) == line.count else { return }
                guard exchange.machine.head != nil else { continue }
                if !rest.isEmpty { _ = takeBody(UnsafeRawBufferPointer(rebasing: rest)) }
                return
            }
        }
    }

    private func abort(_ message: String) -> Int {
        exchange.machine.stop = .failure(TransferFailure(.protocolViolation, message))
        return 0
    }
}
