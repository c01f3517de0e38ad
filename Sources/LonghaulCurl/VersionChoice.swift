import CCurl
import LonghaulCore

/// Decides which versions of HTTP an exchange may use, and records the result.
struct VersionChoice {
    let exchange: Exchange

    private var url: TransferURL { exchange.url }
    private var alternatives: Alternatives { exchange.thread.ways.alternatives }

    /// Whether requests that may have a body share no connection with others.
    var separatesBodies: Bool {
        LibcurlFeature.mixesBodies && url.scheme == "https"
            && (exchange.body != nil || ["POST", "PUT", "PATCH"].contains(exchange.machine.method))
    }

    /// Decides again for each request, because a redirect may lead elsewhere.
    func make() {
        let use = exchange.plan.network.http3
        // An unverified server may announce anything. Over HTTP/3, some versions of libcurl compare no pinned key if
        // they verify nothing else.
        let isBelieved = use != .announced || !exchange.plan.network.allowsUntrustedServer
        exchange.wire.triesHTTP3 =
            isBelieved && !staysWithHTTP1 && exchange.plan.network.trustedKey(of: url) == nil
            && alternatives.isHTTP3ToBeTried(at: url, as: use, now: exchange.thread.now)
    }

    /// Sets the versions. libcurl tries HTTP/3 in parallel with the others and uses the first that connects, with a
    /// short head start for HTTP/3.
    func set(_ easy: EasyHandle) {
        let usual = staysWithHTTP1 ? CURL_HTTP_VERSION_1_1 : CURL_HTTP_VERSION_2TLS
        easy.set(CURLOPT_HTTP_VERSION, Int(exchange.wire.triesHTTP3 ? CURL_HTTP_VERSION_3 : usual))
        // Otherwise, libcurl would reuse an HTTP/2 connection from before HTTP/3 was announced, for as long as it is in
        // use. libcurl separates connections with different TLS options, and every server with HTTP/3 supports more
        // than this minimum.
        if exchange.wire.triesHTTP3 { easy.set(CURLOPT_SSLVERSION, Int(CURL_SSLVERSION_TLSv1_2)) }
    }

    /// Whether the connection must carry only this exchange, a response was lost over HTTP/2, or libcurl may corrupt the body over
    /// HTTP/2.
    private var staysWithHTTP1: Bool {
        exchange.repetition.avoidsHTTP2 || exchange.plan.yields || exchange.plan.connection == .undivided
            || exchange.goesUpAlone && !needsHTTP2
    }

    /// Whether the server speaks only HTTP/2, which libcurl uses with care: with other streams, it may corrupt a body. So the request
    /// gets a new connection, which no other one uses.
    var needsHTTP2: Bool {
        exchange.goesUpAlone && (exchange.repetition.needsHTTP2 || isKnownToNeedHTTP2 == true)
    }

    /// Returns whether the request is repeated over HTTP/2, and records that.
    func fallsBackToHTTP2(
        after code: CURLcode, _ facts: ConnectionFacts, isHarmless: @autoclosure () -> Bool
    ) -> Bool {
        guard exchange.goesUpAlone, !exchange.repetition.needsHTTP2, isKnownToNeedHTTP2 == nil else { return false }
        // A server that has received much of the body understands HTTP/1.1.
        let wasCutAtOnce = !facts.isPeerDead && exchange.body?.position ?? 0 <= ExchangeMachine.heldLength
        return exchange.repetition.beginsOverHTTP2(
            after: code, requestLeft: facts.requestLeft, isHarmless: wasCutAtOnce && isHarmless())
    }

    /// Whether the server is known to speak only HTTP/2, by earlier uploads; `nil` if unknown.
    var isKnownToNeedHTTP2: Bool? { exchange.thread.ways.uploadNeedsHTTP2(to: url, at: exchange.thread.now) }

    func recordResponse(_ head: ResponseHead) {
        if exchange.goesUpAlone, isKnownToNeedHTTP2 == nil {
            exchange.thread.ways.recordUpload(
                to: url, needsHTTP2: exchange.repetition.needsHTTP2, at: exchange.thread.now)
        }
        guard url.scheme == "https", !exchange.plan.network.allowsUntrustedServer else { return }
        alternatives.update(head, from: url)
    }

    /// Records a failure if HTTP/3 does not connect, or breaks, so that the next attempts do not try it for a while.
    func evaluate(_ easy: EasyHandle, code: CURLcode) {
        guard exchange.wire.triesHTTP3 else { return }
        let version = easy.long(CURLINFO_HTTP_VERSION)
        let isServed = version == CURL_HTTP_VERSION_3
        // An existing connection proves nothing new.
        let hasLost = version != 0 && !isServed && easy.long(CURLINFO_NUM_CONNECTS) > 0
        if hasLost || isBroken(code) { alternatives.registerFailure(of: url, now: exchange.thread.now) }
    }

    private func isBroken(_ code: CURLcode) -> Bool {
        switch exchange.machine.stop {
        case nil: code != CURLE_OK
        case .failure: true
        case .overlapDiffers, .enough, .cancelled: false
        }
    }
}
