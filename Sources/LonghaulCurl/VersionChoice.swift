import CCurl
import LonghaulCore

/// When an exchange tries HTTP/3, and what it learns from that.
struct VersionChoice {
    let exchange: Exchange

    private var url: TransferURL { exchange.url }
    private var alternatives: Alternatives { exchange.thread.ways.alternatives }

    /// Decides it anew for each request: a redirect may lead elsewhere.
    func make() {
        let use = exchange.plan.network.http3
        // Who is not checked may announce what it likes. By HTTP/3 some versions of libcurl compare no key where they check nothing else.
        let isBelieved = use != .announced || !exchange.plan.network.allowsUntrustedServer
        exchange.wire.triesHTTP3 =
            isBelieved && !staysWithHTTP1 && exchange.plan.network.trustedKey(of: url) == nil
            && alternatives.isHTTP3ToBeTried(at: url, as: use, now: exchange.thread.now)
    }

    /// HTTP/3 is tried beside the others: libcurl takes whichever connects first, and gives HTTP/3 a little time alone.
    func set(_ easy: EasyHandle) {
        let usual = staysWithHTTP1 ? CURL_HTTP_VERSION_1_1 : CURL_HTTP_VERSION_2TLS
        easy.set(CURLOPT_HTTP_VERSION, Int(exchange.wire.triesHTTP3 ? CURL_HTTP_VERSION_3 : usual))
        // libcurl would go on with a connection that was made for HTTP/2 before HTTP/3 was known of, for as long as it is in use. It keeps
        // connections of other TLS options apart, and who has HTTP/3 has more than this one asks for.
        if exchange.wire.triesHTTP3 { easy.set(CURLOPT_SSLVERSION, Int(CURL_SSLVERSION_TLSv1_2)) }
    }

    /// Whether its connection is to carry nothing else, or an answer was lost over HTTP/2.
    private var staysWithHTTP1: Bool {
        exchange.repetition.avoidsHTTP2 || exchange.plan.yields || exchange.plan.connection == .undivided
    }

    func note(_ head: ResponseHead) {
        guard url.scheme == "https", !exchange.plan.network.allowsUntrustedServer else { return }
        alternatives.note(head, from: url)
    }

    /// Where HTTP/3 leads nowhere, or breaks, it is left alone for a while: the next attempt takes another way.
    func judge(_ easy: EasyHandle, code: CURLcode) {
        guard exchange.wire.triesHTTP3 else { return }
        let version = easy.long(CURLINFO_HTTP_VERSION)
        let isServed = version == CURL_HTTP_VERSION_3
        // A connection of others tells nothing new.
        let hasLost = version != 0 && !isServed && easy.long(CURLINFO_NUM_CONNECTS) > 0
        if hasLost || isBroken(code) { alternatives.noteFailure(of: url, now: exchange.thread.now) }
    }

    private func isBroken(_ code: CURLcode) -> Bool {
        switch exchange.machine.stop {
        case nil: code != CURLE_OK
        case .failure: true
        case .overlapDiffers, .enough, .cancelled: false
        }
    }
}
