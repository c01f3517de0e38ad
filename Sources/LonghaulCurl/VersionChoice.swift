import CCurl
import LonghaulCore

/// Decides whether an exchange tries HTTP/3, and records the result.
struct VersionChoice {
    let exchange: Exchange

    private var url: TransferURL { exchange.url }
    private var alternatives: Alternatives { exchange.thread.ways.alternatives }

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

    /// Whether the connection must carry only this exchange, or a response was lost over HTTP/2.
    private var staysWithHTTP1: Bool {
        exchange.repetition.avoidsHTTP2 || exchange.plan.yields || exchange.plan.connection == .undivided
    }

    func recordResponse(_ head: ResponseHead) {
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
