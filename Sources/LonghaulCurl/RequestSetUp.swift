import CCurl
import LonghaulCore

/// Sets the options of a libcurl handle for a request: its method, headers, connection, and callbacks.
struct RequestSetUp {
    private static let largeBuffer = 512 << 10
    let exchange: Exchange
    let easy: EasyHandle

    func run(headerLines: [String], sendsWhole: Bool) throws(TransferFailure) {
        let context = Unmanaged.passUnretained(exchange).toOpaque()
        easy.set(CURLOPT_PRIVATE, context)
        easy.set(CURLOPT_NOSIGNAL, 1)
        // Otherwise, ending a transfer during its name lookup blocks all others until the resolver gives up.
        easy.set(CURLOPT_QUICK_EXIT, 1)
        easy.set(CURLOPT_URL, exchange.url.text)
        easy.set(CURLOPT_PATH_AS_IS, 1)
        easy.set(CURLOPT_PROTOCOLS_STR, "http,https")
        VersionChoice(exchange: exchange).set(easy)
        easy.set(easy.buffer)
        easy.set(CURLOPT_HEADERFUNCTION, takeHeader)
        easy.set(CURLOPT_HEADERDATA, context)
        easy.set(CURLOPT_WRITEFUNCTION, takeBody)
        easy.set(CURLOPT_WRITEDATA, context)
        easy.set(CURLOPT_SUPPRESS_CONNECT_HEADERS, 1)
        // A body replaces the callback.
        setScouting(context)
        if sendsWhole, let body = exchange.body {
            try setWhole(body)
        } else {
            setMethod(context)
        }
        try setConnection(context)
        try exchange.identity.setUp(easy, scheme: exchange.url.scheme)
        if exchange.plan.network.keepsHeaders { easy.setSpy(processHead, context) }
        easy.setHeaderLines(headerLines)
    }

    private func setWhole(_ body: RequestBody) throws(TransferFailure) {
        let bytes = UnsafeMutableRawBufferPointer.allocate(byteCount: Int(body.length), alignment: 1)
        easy.setBody(bytes)
        easy.set(CURLOPT_CUSTOMREQUEST, exchange.machine.method)
        _ = try body.read(into: bytes, upTo: body.length)
    }

    private func setMethod(_ context: UnsafeMutableRawPointer) {
        let method = exchange.machine.method
        let body = exchange.body
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
        if !exchange.mayWithholdBytes { easy.set(CURLOPT_INFILESIZE_LARGE, offset: length) }
        easy.set(CURLOPT_READFUNCTION, giveBody)
        easy.set(CURLOPT_READDATA, context)
        easy.setSeek(rewindBody)
        easy.set(CURLOPT_SEEKDATA, context)
        easy.set(CURLOPT_UPLOAD_BUFFERSIZE, length > Self.largeBuffer ? Self.largeBuffer : 64 << 10)
        easy.set(CURLOPT_EXPECT_100_TIMEOUT_MS, 1_000)
        if exchange.url.scheme == "https" {
            easy.setBeforeRequest(beginsWithBody)
            easy.set(CURLOPT_PREREQDATA, context)
            easy.setProgress(hasMoved)
            easy.set(CURLOPT_XFERINFODATA, context)
        }
    }

    private func setConnection(_ context: UnsafeMutableRawPointer) throws(TransferFailure) {
        try exchange.plan.connecting.setUp(easy, for: exchange.url, logins: exchange.thread.ways.logins)
        let proxy = exchange.plan.proxy(to: exchange.url)
        if exchange.url.scheme == "https" || proxy?.scheme == "https" { easy.keepComplaint() }
        easy.setSocketOption(hasAddress)
        easy.set(CURLOPT_SOCKOPTDATA, context)
        easy.setClose(closeSocket)
        easy.set(CURLOPT_CLOSESOCKETDATA, Unmanaged.passUnretained(exchange.thread).toOpaque())
        // A request that must not be sent twice starts on a connection that cannot have been closed unnoticed. On an
        // existing HTTP/2 connection, libcurl 7.88 uses HTTP/2 even if the option forbids it.
        let mayMeetHTTP2 = exchange.repetition.avoidsHTTP2 || exchange.plan.yields && exchange.url.scheme == "https"
        // This option has an effect only on Windows, but libcurl compares it before it shares a connection.
        if exchange.goesUpAlone { easy.set(CURLOPT_SSL_OPTIONS, Int(CURLSSLOPT_NO_REVOKE)) }
        // The first of several repeated requests opens a new connection.
        let leadsAgain = exchange.repetition.count > 0 && exchange.thread.ways.originProbes.isProbe(exchange.ticket)
        let needsHTTP2 = VersionChoice(exchange: exchange).needsHTTP2
        let followsFailure = exchange.thread.ways.takeFailure(at: exchange.url)
        if followsFailure { easy.set(CURLOPT_DNS_CACHE_TIMEOUT, 0) }
        if exchange.plan.connection == .unused || mayMeetHTTP2 || leadsAgain || needsHTTP2 || followsFailure {
            easy.set(CURLOPT_FRESH_CONNECT, 1)
        }
        if needsHTTP2 { easy.set(CURLOPT_FORBID_REUSE, 1) }
    }

    private func setScouting(_ context: UnsafeMutableRawPointer) {
        guard exchange.thread.ways.originProbes.isProbe(exchange.ticket) else { return }
        easy.setBeforeRequest(isConnected)
        easy.set(CURLOPT_PREREQDATA, context)
    }
}
