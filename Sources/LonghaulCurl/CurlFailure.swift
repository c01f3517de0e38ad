import CCurl
import LonghaulCore
import LonghaulFiles
import LonghaulSystem

/// What a transfer's end says about its connection.
struct ConnectionFacts {
    var systemError: Int32 = 0
    var proxyStatus = 0
    /// Where a proxy of SOCKS failed (`CURLINFO_PROXY_ERROR`).
    var proxyError = 0
    /// What the TLS library found wrong with the certificates.
    var verification = 0
    /// Whether any byte of the request may have reached the wire.
    var requestLeft = false
    /// Whether there is an address to connect to, of the server or of its proxy.
    var hasAddress = true
    var bytesSent: Int64 = 0
    /// Whether the connection was ended because its peer was dead.
    var isPeerDead = false

    init() {}

    init(_ easy: EasyHandle) {
        systemError = Int32(truncatingIfNeeded: easy.long(CURLINFO_OS_ERRNO))
        proxyStatus = easy.long(CURLINFO_HTTP_CONNECTCODE)
        proxyError = easy.long(CURLINFO_PROXY_ERROR)
        verification = easy.long(CURLINFO_SSL_VERIFYRESULT)
        hasAddress = easy.offset(CURLINFO_NAMELOOKUP_TIME_T) > 0
        requestLeft = easy.offset(CURLINFO_PRETRANSFER_TIME_T) > 0
        bytesSent = easy.offset(CURLINFO_SIZE_UPLOAD_T)
    }

    var certificateFault: CertificateFault {
        LibcurlFeature.isOfGnuTLS ? CertificateFault(gnuTLS: verification) : CertificateFault(openSSL: verification)
    }
}

/// The failure that a libcurl result stands for.
func curlFailure(_ code: CURLcode, of exchange: Exchange, facts: ConnectionFacts) -> TransferFailure {
    // Nothing has gone out then, and nothing is wrong with the server. Names, certificates and libcurl's own means need
    // descriptors as well, and libcurl does not say why it did not get them.
    if !facts.requestLeft,
        SystemError(facts.systemError).isLackOfDescriptors || mayLackDescriptors(code) && lacksDescriptors()
    {
        return tooManyOpenFiles()
    }
    // A proxy that wants other credentials for a tunnel is heard by libcurl alone (CURLINFO_HTTP_CONNECTCODE).
    if facts.proxyStatus == 407 {
        let head = ResponseHead(status: 407, headers: [], effectiveURL: exchange.url.text)
        return RetryPolicy.failure(forStatus: 407, head: head, url: exchange.url.text)
    }
    let (failure, sentence) = meaning(of: code, exchange: exchange, facts: facts)
    return TransferFailure(failure, sentence, origin: .curl(Int(code.rawValue)))
}

/// Whether the result may come from a descriptor that could not be had.
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
    let host = exchange.url.host
    if facts.proxyStatus >= 300 {
        return (
            .proxyFailed, "The proxy refused the way to \(host) with status \(facts.proxyStatus). Ask its operator."
        )
    }
    if let unresolved = NameLookups.unresolvedHost(of: exchange, code, facts) {
        return (.nameLookupFailed, unresolved.unanswered.summary)
    }
    switch code {
    case CURLE_COULDNT_CONNECT, CURLE_QUIC_CONNECT_ERROR: return connecting(to: host, exchange: exchange, facts: facts)
    case CURLE_OPERATION_TIMEDOUT:
        let limit = exchange.plan.network.connectTimeout
        let time = limit > .zero ? " within \(limit.inWords)" : ""
        return (.timedOut, "No connection to \(host) was made\(time) (--connect-timeout).")
    case CURLE_COULDNT_RESOLVE_PROXY, CURLE_PROXY:
        return (.proxyFailed, "The proxy on the way to \(host) cannot be used. Check the proxy setting.")
    case CURLE_PEER_FAILED_VERIFICATION:
        let fault = facts.certificateFault
        return (fault == .notYetValid ? .notYetValid : .certificateRejected, fault.sentence(about: host))
    case CURLE_SSL_CACERT_BADFILE:
        return (.tlsFailed, "The file with certificate authorities cannot be read. Check --cacert.")
    case CURLE_SSL_PINNEDPUBKEYNOTMATCH where exchange.plan.network.trustedKey(of: exchange.url) != nil:
        return (
            .certificateRejected,
            "\(host) has another public key than the one that was accepted for it. Find out why before you accept another one."
        )
    case CURLE_SSL_PINNEDPUBKEYNOTMATCH:
        return (
            .certificateRejected,
            "\(host) has another public key than those that were pinned. Find out why before you pin another one."
        )
    case CURLE_SSL_CERTPROBLEM, CURLE_SSL_ENGINE_NOTFOUND, CURLE_SSL_ENGINE_INITFAILED, CURLE_SSL_ENGINE_SETFAILED:
        return (
            .certificateRejected,
            "The client certificate, its key or the key's password cannot be used. Check --cert, --private-key and --pass."
        )
    case CURLE_SSL_CLIENTCERT:
        return (.certificateRejected, "\(host) wants to see a client certificate. Name one with --cert.")
    case CURLE_SSL_CONNECT_ERROR, CURLE_SSL_CIPHER, CURLE_SSL_ISSUER_ERROR, CURLE_SSL_INVALIDCERTSTATUS,
        CURLE_USE_SSL_FAILED:
        return (.tlsFailed, "No secure connection to \(host) could be made. Check that it speaks TLS on this port.")
    case CURLE_URL_MALFORMAT: return (.invalidURL, "The URL of \(host) is not valid. Correct it.")
    // Once the request is on its way, what libcurl cannot take is what the server sent.
    case CURLE_OUT_OF_MEMORY where facts.requestLeft, CURLE_BAD_FUNCTION_ARGUMENT where facts.requestLeft, tooLarge:
        return (.protocolViolation, "\(host) sent header fields that are too long, or none. Ask its operator.")
    case CURLE_FAILED_INIT where exchange.url.scheme == "https": return speaking(with: host, code: code, facts: facts)
    case CURLE_OUT_OF_MEMORY, CURLE_FAILED_INIT, CURLE_BAD_FUNCTION_ARGUMENT, CURLE_UNKNOWN_OPTION, CURLE_NOT_BUILT_IN:
        return (.internalFault, "libcurl could not begin the transfer with \(host).")
    default: return speaking(with: host, code: code, facts: facts)
    }
}

/// CURLE_TOO_LARGE, which libcurl has from 8.6 on.
private let tooLarge = CURLcode(rawValue: 100)

private func connecting(to host: String, exchange: Exchange, facts: ConnectionFacts) -> (FailureCode, String) {
    if exchange.plan.connecting.usesProxy(for: exchange.url.scheme, to: host) {
        return (.proxyFailed, "The proxy on the way to \(host) does not answer. Check the proxy setting.")
    }
    switch SystemError(facts.systemError) {
    case .connectionRefused:
        return (.connectionRefused, "\(host) refused the connection. Check the port, or try again later.")
    case let error where error.isLackOfNetwork:
        return (.offline, "There is no way to \(host) at the moment. Check the network.")
    case .timedOut: return (.timedOut, "\(host) did not answer. Try again later.")
    default: return (.connectionFailed, "No connection to \(host) could be made. Try again later.")
    }
}

private func speaking(with host: String, code: CURLcode, facts: ConnectionFacts) -> (FailureCode, String) {
    switch code {
    // CURLE_FAILED_INIT: libcurl has closed the connection, which others share, before this request had its turn.
    case CURLE_PARTIAL_FILE, CURLE_SEND_ERROR, CURLE_RECV_ERROR, CURLE_GOT_NOTHING, CURLE_SEND_FAIL_REWIND, CURLE_HTTP2,
        CURLE_HTTP2_STREAM, CURLE_HTTP3, CURLE_SSL_SHUTDOWN_FAILED, CURLE_AGAIN, CURLE_FAILED_INIT:
        if facts.isPeerDead {
            return (.connectionLost, "\(host) stopped answering, so its connection was ended. Check the network.")
        }
        return (.connectionLost, "The connection to \(host) was lost. Try again.")
    case CURLE_WEIRD_SERVER_REPLY, CURLE_UNSUPPORTED_PROTOCOL, CURLE_BAD_CONTENT_ENCODING,
        CURLE_WRITE_ERROR, CURLE_TOO_MANY_REDIRECTS, CURLE_HTTP_RETURNED_ERROR, CURLE_RANGE_ERROR:
        return (.protocolViolation, "\(host) does not answer as HTTP demands. Ask its operator.")
    default: return (.connectionFailed, "The transfer with \(host) failed. Try again later.")
    }
}

/// Whether no file or socket can be opened at this moment: some of libcurl's results do not tell what they come from.
private func lacksDescriptors() -> Bool {
    do throws(SystemError) {
        _ = try LentDescriptor.standardError.duplicate()
        return false
    } catch {
        return error.isLackOfDescriptors
    }
}
