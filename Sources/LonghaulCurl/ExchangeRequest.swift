import CCurl
import LonghaulCore
import LonghaulSystem
import Synchronization

extension Exchange {
    private static let largeBuffer = 512 << 10
    /// How long an answer may take, in nanoseconds, before it is reported that the body is out.
    static let answerTime: Int64 = 250_000_000
    /// How much of the body is held back at its end.
    static let heldLength: Int64 = 64 << 10

    /// Hands the request to libcurl.
    func transfer() {
        guard thread.knowsProxy(of: self) else { return }
        chooseVersion()
        guard mayConnect() else { return }
        guard let lines = RequestLines.make(for: self, sendsWhole: sendsWhole) else {
            return fail(TransferFailure(.invalidArgument, "A header field contains a line break. Remove it."))
        }
        let easy: EasyHandle
        do throws(TransferFailure) {
            easy = try handleThatIsSetUp(headerLines: lines)
        } catch {
            return fail(error)
        }
        reception = .awaitingHead
        collector = HeaderCollector(heads: plan.network.keepsHeads ? HeadTrace() : nil)
        socket = nil
        isUnwanted = false
        sentDirectly = 0
        given = 0
        restsUntil = nil
        activity.begin(at: thread.now)
        stage = .transferring(easy)
        guard easy.join(connections) else {
            stage = .heldBack
            return fail(systemFailure(.outOfMemory))
        }
        thread.yielding.add(self, at: thread.now)
        if sendsWhole { noteAllGiven() }
    }

    /// What a used handle refuses, a new one may take: then the used one is not used again.
    private func handleThatIsSetUp(headerLines: [String]) throws(TransferFailure) -> EasyHandle {
        let buffer = receiveBuffer
        var refusal = CURLE_OUT_OF_MEMORY
        for mayBeUsed in [true, false] {
            let handle = thread.takeHandle(buffer: buffer, mayBeUsed: mayBeUsed, cookies: identity.cookies)
            guard let easy = handle else { throw systemFailure(.outOfMemory) }
            try body?.prepare()
            try setUp(easy, headerLines: headerLines)
            guard let code = easy.refusal else { return easy }
            refusal = code
            body?.rewind()
        }
        throw curlFailure(refusal, of: self, facts: ConnectionFacts())
    }

    /// Whether the body is given to libcurl in one piece, which then leaves with the head: one call and one packet fewer. A
    /// body that may not be sent twice is not, nor one that is slowed down.
    private var sendsWhole: Bool {
        guard let body, body.length > 0, body.length < RequestBody.shortLength else { return false }
        return hold == .none && !isLimited
    }

    /// Most answers come at once: only one that keeps a sender waiting is worth a word before it. What may not be
    /// sent twice has said so before, when its last bytes were held.
    private func noteAllGiven() {
        bodySentDue = hold == .none ? thread.now + Self.answerTime : thread.now
        thread.watchDraining(self)
    }

    /// libcurl wants the next bytes of the body. What it took before is on its way.
    func bodyWanted(_ buffer: UnsafeMutableRawBufferPointer) -> Int {
        guard let body, hasStoppedSending == false else { return 0 }
        progress.moved(sent: body.position, at: thread.now)
        let limit = hold == .armed || hold == .held ? body.length - min(Self.heldLength, body.length) : body.length
        if taken != nil { return Int(CURL_READFUNC_PAUSE) }
        if body.position == limit { return limit < body.length ? holdLastBytes() : 0 }
        if hasUsedAllowance { return Int(CURL_READFUNC_PAUSE) }
        if canSendDirectly(body) {
            thread.willTakeOver(self)
            return Int(CURL_READFUNC_PAUSE)
        }
        if pace?.allows(at: thread.now) == false {
            rest()
            return Int(CURL_READFUNC_PAUSE)
        }
        let yielding = thread.yielding[self]
        let room = yielding?.room ?? .max
        if room == 0, let yielding { return yielding.wait() }
        do throws(TransferFailure) {
            let end = min(limit, sendingAllowance, body.position + room)
            let count = try body.read(into: slowed(buffer), upTo: end)
            pace?.use(count)
            if body.position == body.length { noteAllGiven() }
            return count
        } catch {
            stop = .failure(error)
            return Int(CURL_READFUNC_ABORT)
        }
    }

    /// libcurl wants to send the body again: on another connection, since the first one had been closed by the peer, or since the
    /// server refused the stream, of which it has looked at nothing then (RFC 9113, section 8.7). Once the last bytes were
    /// released a request on a connection that was used before may have been received, and nobody but the loop may repeat it.
    func rewindWanted(to offset: Int64, origin: Int32) -> Int32 {
        let isUnseen = hold != .released || plan.connection == .unused && url.scheme == "https"
        guard offset == 0, origin == SEEK_SET, head == nil, isUnseen, let body else { return CURL_SEEKFUNC_FAIL }
        dropTaken()
        sentDirectly = 0
        mostSent = max(mostSent, body.position)
        body.rewind()
        return CURL_SEEKFUNC_OK
    }

    /// Whether a refusal came before the permission to send the last bytes, or while the engine itself was sending: the
    /// rest is not sent any more. A success in that place wants the rest all the same.
    var hasStoppedSending: Bool {
        guard let head, head.status >= 300 else { return false }
        return hold == .armed || hold == .held || isUnwanted
    }

    private func holdLastBytes() -> Int {
        if hold == .armed {
            hold = .held
            thread.emit(ticket, .lastBytesHeld)
        }
        return Int(CURL_READFUNC_PAUSE)
    }

    /// With a rate limit the pieces are small, or the pauses between them would look like a stalled connection.
    private func slowed(_ buffer: UnsafeMutableRawBufferPointer) -> UnsafeMutableRawBufferPointer {
        guard let rateLimit = pace?.rate else { return buffer }
        return UnsafeMutableRawBufferPointer(rebasing: buffer.prefix(max(1_024, Int(clamping: rateLimit / 4))))
    }

    func fail(_ failure: TransferFailure) {
        thread.end(self, ExchangeOutcome(ending: .broke(failure), requestLeft: false))
    }

    private var receiveBuffer: EasyHandle.Buffer {
        if let rateLimit = owner.pace?.rate { return .limited(Int(clamping: rateLimit)) }
        // What is read beyond an allowance cannot be given back either.
        if owner.allowance != nil { return .usual }
        if YieldingMember.isPaced(self) { return .limited(YieldingMember.pacedBuffer) }
        if let size = thread.bodyPaths.receiveBuffer { return .limited(size) }
        return switch plan.sink {
        case .partial: thread.isCrowded ? .usual : .large
        case .memory: .usual
        }
    }

    private func setUp(_ easy: EasyHandle, headerLines: [String]) throws(TransferFailure) {
        let context = Unmanaged.passUnretained(self).toOpaque()
        easy.set(CURLOPT_PRIVATE, context)
        easy.set(CURLOPT_NOSIGNAL, 1)
        easy.set(CURLOPT_URL, url.text)
        easy.set(CURLOPT_PATH_AS_IS, 1)
        easy.set(CURLOPT_PROTOCOLS_STR, "http,https")
        setUpVersion(easy)
        easy.set(easy.buffer)
        easy.set(CURLOPT_HEADERFUNCTION, takeHeader)
        easy.set(CURLOPT_HEADERDATA, context)
        easy.set(CURLOPT_WRITEFUNCTION, takeBody)
        easy.set(CURLOPT_WRITEDATA, context)
        easy.set(CURLOPT_SUPPRESS_CONNECT_HEADERS, 1)
        if sendsWhole, let body {
            try setUpWhole(body, easy)
        } else {
            setUpMethod(easy, context: context)
        }
        setUpConnection(easy)
        try identity.setUp(easy, scheme: url.scheme)
        setUpScouting(easy, context: context)
        if plan.network.keepsHeads { easy.setSpy(hearHead, context) }
        easy.setHeaderLines(headerLines)
    }

    private func setUpWhole(_ body: RequestBody, _ easy: EasyHandle) throws(TransferFailure) {
        let bytes = UnsafeMutableRawBufferPointer.allocate(byteCount: Int(body.length), alignment: 1)
        easy.setBody(bytes)
        easy.set(CURLOPT_CUSTOMREQUEST, method)
        _ = try body.read(into: bytes, upTo: body.length)
    }

    private func setUpMethod(_ easy: EasyHandle, context: UnsafeMutableRawPointer) {
        let announcesNothing = body == nil && (method == "POST" || method == "PUT" || method == "PATCH")
        guard body != nil || announcesNothing else {
            if method == "HEAD" {
                easy.set(CURLOPT_NOBODY, 1)
            } else if method != "GET" {
                easy.set(CURLOPT_CUSTOMREQUEST, method)
            }
            return
        }
        let length = body?.length ?? 0
        easy.set(CURLOPT_UPLOAD, 1)
        easy.set(CURLOPT_CUSTOMREQUEST, method)
        if !mayWithholdBytes { easy.set(CURLOPT_INFILESIZE_LARGE, offset: length) }
        easy.set(CURLOPT_READFUNCTION, giveBody)
        easy.set(CURLOPT_READDATA, context)
        easy.setSeek(rewindBody)
        easy.set(CURLOPT_SEEKDATA, context)
        easy.set(CURLOPT_UPLOAD_BUFFERSIZE, length > Self.largeBuffer ? Self.largeBuffer : 64 << 10)
        easy.set(CURLOPT_EXPECT_100_TIMEOUT_MS, 1_000)
        if url.scheme == "https" {
            easy.keepComplaint()
            easy.setProgress(hasMoved)
            easy.set(CURLOPT_XFERINFODATA, context)
        }
    }

    private func setUpConnection(_ easy: EasyHandle) {
        plan.connecting.setUp(easy, for: url)
        easy.setClose(closeSocket)
        easy.set(CURLOPT_CLOSESOCKETDATA, Unmanaged.passUnretained(thread).toOpaque())
        // A request that must not be sent twice begins on a connection that cannot have been closed unnoticed.
        // libcurl 7.88 asks with HTTP/2 all the same on a connection that speaks it.
        let mayMeetHTTP2 = repetition.avoidsHTTP2 || plan.yields && url.scheme == "https"
        // An option of Windows alone, which libcurl compares all the same before it shares a connection.
        if goesUpAlone { easy.set(CURLOPT_SSL_OPTIONS, Int(CURLSSLOPT_NO_REVOKE)) }
        // One that was left out goes first on a connection of its own.
        let leadsAgain = repetition.count > 0 && thread.scouts.isScout(ticket)
        if plan.connection == .unused || mayMeetHTTP2 || leadsAgain { easy.set(CURLOPT_FRESH_CONNECT, 1) }
    }
}
