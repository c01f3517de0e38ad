import CCurl
import LonghaulCore
import LonghaulFiles
import LonghaulSystem

/// Facts about the connection at the end of a transfer.
struct ConnectionFacts {
    var systemError: Int32 = 0
    var proxyStatus = 0
    /// The failure of a SOCKS proxy (`CURLINFO_PROXY_ERROR`).
    var proxyError = 0
    /// The schemes that a proxy offers, as libcurl's bits (`CURLINFO_PROXYAUTH_AVAIL`).
    var proxyOffers = 0
    /// The TLS library's verification result for the certificates.
    var verification = 0
    /// libcurl's message; `nil` if there is none.
    var complaint: String?
    /// Whether any byte of the request may have reached the wire.
    var requestLeft = false
    /// Whether the address of the server, or of its proxy, is known.
    var hasAddress = true
    var bytesSent: Int64 = 0
    /// Whether the connection was closed because its peer was dead.
    var isPeerDead = false

    init() {}

    init(_ easy: EasyHandle) {
        systemError = Int32(truncatingIfNeeded: easy.long(CURLINFO_OS_ERRNO))
        proxyStatus = easy.long(CURLINFO_HTTP_CONNECTCODE)
        proxyError = easy.long(CURLINFO_PROXY_ERROR)
        proxyOffers = proxyStatus == 407 ? easy.long(CURLINFO_PROXYAUTH_AVAIL) : 0
        verification = easy.long(CURLINFO_SSL_VERIFYRESULT)
        hasAddress = easy.offset(CURLINFO_NAMELOOKUP_TIME_T) > 0
        requestLeft = easy.offset(CURLINFO_PRETRANSFER_TIME_T) > 0
        bytesSent = easy.offset(CURLINFO_SIZE_UPLOAD_T)
        complaint = easy.complaintText
    }

    var certificateFault: CertificateFault {
        LibcurlFeature.isOfGnuTLS ? CertificateFault(gnuTLS: verification) : CertificateFault(openSSL: verification)
    }
}

/// Returns the failure for a libcurl result.
func curlFailure(_ code: CURLcode, of exchange: Exchange, facts: ConnectionFacts) -> TransferFailure {
    let code = NameLookups.failedLookup(code, of: exchange)
    // Nothing was sent, and the server is not at fault. DNS lookups, certificates, and libcurl itself need descriptors
    // too, and libcurl does not report that none was available.
    if !facts.requestLeft,
        SystemError(facts.systemError).isLackOfDescriptors || mayLackDescriptors(code) && lacksDescriptors()
    {
        return tooManyOpenFiles()
    }
    // Only libcurl sees the response of a proxy that requires other credentials for a tunnel
    // (CURLINFO_HTTP_CONNECTCODE).
    if facts.proxyStatus == 407 {
        let offers = facts.proxyChallenges.map { HeaderField("Proxy-Authenticate", $0.scheme) }
        let head = ResponseHead(status: 407, headers: offers, effectiveURL: exchange.url.text)
        return RetryPolicy.failure(
            forStatus: 407, head: head, url: exchange.url.text,
            login: PresentedLogin(proxy: exchange.plan.proxy(to: exchange.url)))
    }
    if let failure = proxyRefusal(code, exchange, facts) { return failure }
    if let refusal = tlsRefusal(code, exchange, facts) { return refusal }
    let (failure, sentence) = meaning(of: code, exchange: exchange, facts: facts)
    return TransferFailure(failure, sentence, origin: .curl(Int(code.rawValue)))
}

/// Returns the failure of a handshake that always fails; `nil` for another result. It has Longhaul's origin, so that `RetryPolicy` does not
/// retry it.
private func tlsRefusal(_ code: CURLcode, _ exchange: Exchange, _ facts: ConnectionFacts) -> TransferFailure? {
    // With TLS 1.3 the server checks the client's certificate after the handshake (RFC 8446, section 4.4.2).
    guard [CURLE_SSL_CONNECT_ERROR, CURLE_RECV_ERROR, CURLE_SEND_ERROR].contains(code),
        let refusal = facts.complaint.flatMap(TLSRefusal.init)
    else { return nil }
    var server = exchange.url.endpoint
    if facts.proxyStatus == 0, let proxy = exchange.plan.proxy(to: exchange.url), proxy.scheme == "https" {
        server = "The proxy \(proxy.endpoint)"
    }
    let sentence = refusal.sentence(
        about: server, hasCertificate: exchange.plan.network.clientCertificate != nil)
    return TransferFailure(refusal == .requiresCertificate ? .certificateRejected : .tlsFailed, sentence)
}

/// Returns whether a lack of descriptors can cause this result.
private func mayLackDescriptors(_ code: CURLcode) -> Bool {
    switch code {
    case CURLE_COULDNT_RESOLVE_HOST, CURLE_COULDNT_RESOLVE_PROXY, CURLE_COULDNT_CONNECT, CURLE_SSL_CACERT_BADFILE,
        CURLE_SSL_CERTPROBLEM, CURLE_SSL_CONNECT_ERROR, CURLE_FAILED_INIT, CURLE_OUT_OF_MEMORY:
        true
    default: false
    }
}

private func meaning(
    of code: CURLcode, exchange: Exchange, facts: ConnectionFacts
) -> (FailureCode, String) {
    let (site, server) = (exchange.url.site, exchange.url.endpoint)
    let proxy = exchange.plan.proxy(to: exchange.url)?.endpoint
    if let unresolved = NameLookups.unresolvedHost(of: exchange, code, facts) {
        return (.nameLookupFailed, unresolved.unanswered.summary)
    }
    if let failure = securing(code, exchange, facts) { return failure }
    switch code {
    case CURLE_COULDNT_CONNECT, CURLE_QUIC_CONNECT_ERROR: return connecting(code, exchange, facts)
    case CURLE_OPERATION_TIMEDOUT:
        let limit = exchange.plan.network.connectTimeout
        if let proxy {
            return (.timedOut, "Could not connect to \(server) through the proxy \(proxy) in time (--connect-timeout).")
        }
        guard limit > .zero else { return (.timedOut, "Could not connect to \(server) in time (--connect-timeout).") }
        return (.timedOut, "Could not connect to \(server) within \(limit.inWords) (--connect-timeout).")
    case CURLE_COULDNT_RESOLVE_PROXY:
        return (.proxyFailed, "Could not resolve the proxy \(proxy ?? ""). Check the proxy setting.")
    case CURLE_URL_MALFORMAT: return (.invalidURL, "libcurl rejected the URL \(exchange.url.redacted). Correct it.")
    // Once the request is being sent, libcurl's limits apply to the server's response.
    case CURLE_OUT_OF_MEMORY where facts.requestLeft, CURLE_BAD_FUNCTION_ARGUMENT where facts.requestLeft, tooLarge:
        return (
            .protocolViolation, "\(site) sent response headers that are too long or missing. Report it to its operator."
        )
    case CURLE_FAILED_INIT where exchange.url.scheme == "https": return speaking(code, exchange, facts)
    case CURLE_OUT_OF_MEMORY, CURLE_FAILED_INIT, CURLE_BAD_FUNCTION_ARGUMENT, CURLE_UNKNOWN_OPTION, CURLE_NOT_BUILT_IN:
        return (.internalFault, "libcurl could not start the transfer with \(site) (libcurl error \(code.rawValue)).")
    default: return speaking(code, exchange, facts)
    }
}

/// Returns the failure of TLS; `nil` for another result.
private func securing(
    _ code: CURLcode, _ exchange: Exchange, _ facts: ConnectionFacts
) -> (FailureCode, String)? {
    let site = exchange.url.site
    switch code {
    case CURLE_PEER_FAILED_VERIFICATION:
        let fault = facts.certificateFault
        return (fault == .notYetValid ? .notYetValid : .certificateRejected, fault.sentence(about: site))
    case CURLE_SSL_CACERT_BADFILE:
        guard let file = exchange.plan.network.caFile ?? exchange.plan.network.proxyCAFile else {
            return (.tlsFailed, "Could not load the CA certificates of this system. Install them, or pass --cacert.")
        }
        // A file that is right now was just being replaced, or no descriptor was left for it.
        let isRight = (try? LocalPaths.checkFormats(of: exchange.plan.network)) != nil
        let sentence = "Could not load the CA certificates in \(file). Check --cacert."
        return (isRight ? .tlsFailed : .sourceUnreadable, sentence)
    case CURLE_SSL_PINNEDPUBKEYNOTMATCH where exchange.plan.network.trustedKey(of: exchange.url) != nil:
        return (
            .certificateRejected,
            "\(site) presented another public key than the accepted one. Find out why before you accept it."
        )
    case CURLE_SSL_PINNEDPUBKEYNOTMATCH:
        return (
            .certificateRejected,
            "\(site) presented a public key that is not pinned. Find out why before you pin it."
        )
    case CURLE_SSL_CERTPROBLEM, CURLE_SSL_ENGINE_NOTFOUND, CURLE_SSL_ENGINE_INITFAILED, CURLE_SSL_ENGINE_SETFAILED:
        if exchange.plan.network.usesToken {
            return (
                .certificateRejected,
                "Could not use the client certificate or its key on the token. Check the URI and its PIN, and PKCS11_MODULE_PATH in the environment of the service (longhauld)."
            )
        }
        return (
            .certificateRejected,
            "Could not use the client certificate, its key, or the key's password. Check --cert, --private-key, and --pass."
        )
    case CURLE_SSL_CLIENTCERT:
        return (.certificateRejected, "\(site) requires a client certificate. Pass one with --cert.")
    case CURLE_SSL_CONNECT_ERROR, CURLE_SSL_CIPHER, CURLE_SSL_ISSUER_ERROR, CURLE_SSL_INVALIDCERTSTATUS,
        CURLE_USE_SSL_FAILED:
        return (
            .tlsFailed,
            "The TLS handshake with \(exchange.url.endpoint) failed. Check that the server speaks TLS on this port."
        )
    default: return nil
    }
}

extension NetworkOptions {
    /// Whether the client certificate or its key is on a token, which OpenSSL's engine finds by the process's environment.
    fileprivate var usesToken: Bool {
        clientCertificate.map { $0.certificate.isToken || $0.key?.isToken == true } ?? false
    }
}

/// CURLE_TOO_LARGE, which exists since libcurl 8.6.
private let tooLarge = CURLcode(rawValue: 100)

private func connecting(
    _ code: CURLcode, _ exchange: Exchange, _ facts: ConnectionFacts
) -> (FailureCode, String) {
    let server = exchange.url.endpoint
    // libcurl leaves the number at 0 if no call failed, for example at libcurl's own time limit.
    let error = SystemError(facts.systemError)
    let reason = facts.systemError == 0 ? String(cString: curl_easy_strerror(code)) : error.text
    if let proxy = exchange.plan.proxy(to: exchange.url) {
        return (
            .proxyFailed, "Could not connect to the proxy \(proxy.endpoint): \(reason). Check the proxy setting."
        )
    }
    switch error {
    case .connectionRefused:
        return (.connectionRefused, "\(server) refused the connection. Check the port, or try again later.")
    case _ where error.isLackOfNetwork: return (.offline, "Could not reach \(server): \(reason). Check the network.")
    case .timedOut: return (.timedOut, "Connecting to \(server) timed out. Try again later.")
    default: return (.connectionFailed, "Could not connect to \(server): \(reason). Try again later.")
    }
}

private func speaking(
    _ code: CURLcode, _ exchange: Exchange, _ facts: ConnectionFacts
) -> (FailureCode, String) {
    let (site, server) = (exchange.url.site, exchange.url.endpoint)
    let reason = String(cString: curl_easy_strerror(code))
    switch code {
    // CURLE_FAILED_INIT: libcurl closed a shared connection before it could send this request.
    case CURLE_PARTIAL_FILE, CURLE_SEND_ERROR, CURLE_RECV_ERROR, CURLE_GOT_NOTHING, CURLE_SEND_FAIL_REWIND, CURLE_HTTP2,
        CURLE_HTTP2_STREAM, CURLE_HTTP3, CURLE_SSL_SHUTDOWN_FAILED, CURLE_AGAIN, CURLE_FAILED_INIT:
        if facts.isPeerDead {
            return (
                .connectionLost, "\(server) stopped responding, so Longhaul closed the connection. Check the network."
            )
        }
        return (.connectionLost, "The connection to \(server) was lost. Try again.")
    case CURLE_WEIRD_SERVER_REPLY, CURLE_UNSUPPORTED_PROTOCOL, CURLE_BAD_CONTENT_ENCODING,
        CURLE_WRITE_ERROR, CURLE_TOO_MANY_REDIRECTS, CURLE_HTTP_RETURNED_ERROR, CURLE_RANGE_ERROR:
        return (.protocolViolation, "The response of \(site) violates HTTP: \(reason). Report it to its operator.")
    default: return (.connectionFailed, "The transfer with \(server) failed: \(reason). Try again later.")
    }
}

/// Returns whether an attempt may have found no descriptor, because some of libcurl's results do not reveal their cause. Other transfers
/// may have closed a few descriptors since then.
private func lacksDescriptors() -> Bool {
    var free: [Descriptor] = []
    do throws(SystemError) {
        for _ in 0..<(2 * DescriptorBudget.perTransfer) { free.append(try LentDescriptor.standardError.duplicate()) }
        return false
    } catch {
        return error.isLackOfDescriptors
    }
}
