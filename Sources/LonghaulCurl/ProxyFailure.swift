import CCurl
import LonghaulCore
import LonghaulSystem

extension NetworkOptions {
    /// Returns the proxy that leads to the server, from the options or this process's environment; `nil` for none.
    func usedProxy(for url: TransferURL) throws(TransferFailure) -> ProxyAddress? {
        guard proxy(for: url.scheme) == nil || proxyExceptions == nil else { return try proxyInUse(for: url) }
        var network = self
        network.variables = .ofThisProcess
        return try network.proxyInUse(for: url)
    }

    /// Returns that proxy, without one that cannot be used.
    func knownProxy(for url: TransferURL) -> ProxyAddress? { try? usedProxy(for: url) }
}

extension ProxyVariables {
    fileprivate static var ofThisProcess: ProxyVariables {
        let names = [
            "http_proxy", "https_proxy", "HTTPS_PROXY", "all_proxy", "ALL_PROXY", "no_proxy", "NO_PROXY",
        ]
        return ProxyVariables(
            environment: Dictionary(
                uniqueKeysWithValues: names.compactMap { name in ThisProcess.variable(name).map { (name, $0) } }))
    }
}

extension ExchangePlan {
    /// Returns the proxy that leads to the server.
    func proxy(to url: TransferURL) -> ProxyAddress? { connecting.knownProxy(for: url) }
}

/// Returns the failure of a proxy that answered and refused; `nil` for another result. An answer that does not change has
/// Longhaul's origin, so that `RetryPolicy` does not retry it.
func proxyRefusal(_ code: CURLcode, _ exchange: Exchange, _ facts: ConnectionFacts) -> TransferFailure? {
    let server = exchange.url.endpoint
    guard let proxy = exchange.plan.proxy(to: exchange.url) else { return nil }
    if facts.proxyStatus >= 300 {
        return TransferFailure(
            .proxyFailed,
            "The proxy \(proxy.endpoint) refused to connect to \(server) (\(facts.proxyStatus)). Ask the proxy's operator.",
            origin: .status(facts.proxyStatus))
    }
    // The request follows the tunnel. A failed handshake with the server has another code.
    let wantsTunnel = exchange.url.scheme == "https" && ["http", "https"].contains(proxy.scheme)
    if wantsTunnel, !facts.requestLeft, let failure = tunnelLoss(code, facts, proxy, server) { return failure }
    // An unknown host of the server is not the proxy's fault (`NameLookups`).
    guard code == CURLE_PROXY, facts.proxyError != Int(CURLPX_RESOLVE_HOST.rawValue) else { return nil }
    let error = CURLproxycode(rawValue: UInt32(clamping: facts.proxyError))
    return socksLogin(error, proxy) ?? socksReply(error, proxy, server)
}

/// Returns the failure of a tunnel whose proxy sent an endless response or closed the connection; `nil` for another result.
private func tunnelLoss(
    _ code: CURLcode, _ facts: ConnectionFacts, _ proxy: ProxyAddress, _ server: String
) -> TransferFailure? {
    let origin = TransferFailure.Origin.curl(Int(code.rawValue))
    // Only libcurl's message says that the response has no end.
    if let complaint = facts.complaint, complaint.lowercased().contains("too large") {
        return TransferFailure(
            .proxyFailed,
            "The proxy \(proxy.endpoint) sent too much instead of connecting to \(server). Ask the proxy's operator.",
            origin: origin)
    }
    let isClosed = [CURLE_GOT_NOTHING, CURLE_RECV_ERROR, CURLE_SEND_ERROR].contains(code)
    guard isClosed || facts.complaint?.contains("CONNECT") ?? false, code != CURLE_OPERATION_TIMEDOUT else {
        return nil
    }
    return TransferFailure(
        .proxyFailed,
        "The connection to the proxy \(proxy.endpoint) was lost before it connected to \(server). Try again later.",
        origin: origin)
}

private func socksLogin(_ error: CURLproxycode, _ proxy: ProxyAddress) -> TransferFailure? {
    let name = proxy.endpoint
    let (summary, advice): (String, String)
    switch error {
    case CURLPX_NO_AUTH where proxy.user == nil, CURLPX_UNKNOWN_MODE where proxy.user == nil:
        (summary, advice) = (
            "The SOCKS proxy \(name) requires a user name and a password", "submit the transfer again with --proxy-user"
        )
    case CURLPX_NO_AUTH, CURLPX_UNKNOWN_MODE:
        (summary, advice) = (
            "The SOCKS proxy \(name) does not accept a user name and a password",
            "use it without --proxy-user, or ask its operator which login it supports"
        )
    case CURLPX_USER_REJECTED:
        (summary, advice) = (
            "The SOCKS proxy \(name) rejected the user name or the password", "submit the transfer again with others"
        )
    case CURLPX_IDENTD, CURLPX_IDENTD_DIFFER:
        (summary, advice) = (
            "The SOCKS proxy \(name) could not confirm the user by identd", "use SOCKS 5 or another proxy"
        )
    case CURLPX_LONG_USER, CURLPX_LONG_PASSWD:
        (summary, advice) = (
            "The user name or the password is too long for the SOCKS proxy \(name)",
            "use one of at most 255 bytes"
        )
    case CURLPX_GSSAPI, CURLPX_GSSAPI_PERMSG, CURLPX_GSSAPI_PROTECTION:
        (summary, advice) = (
            "The SOCKS proxy \(name) rejected the Kerberos login", "run kinit, or use --proxy-user"
        )
    default: return nil
    }
    return TransferFailure(.credentialsRequired, summary, advice: advice)
}

private func socksReply(_ error: CURLproxycode, _ proxy: ProxyAddress, _ server: String) -> TransferFailure {
    let name = proxy.endpoint
    let origin = TransferFailure.Origin.curl(Int(CURLE_PROXY.rawValue))
    switch error {
    case CURLPX_REPLY_CONNECTION_REFUSED:
        return TransferFailure(
            .connectionRefused,
            "The proxy \(name) reports that \(server) refused the connection. Check the port, or try again later.",
            origin: origin)
    case CURLPX_REPLY_HOST_UNREACHABLE, CURLPX_REPLY_NETWORK_UNREACHABLE, CURLPX_REPLY_TTL_EXPIRED:
        return TransferFailure(
            .connectionFailed, "The proxy \(name) reports that \(server) is unreachable. Try again later.",
            origin: origin)
    case CURLPX_REPLY_NOT_ALLOWED:
        return TransferFailure(
            .proxyFailed, "The rules of the proxy \(name) forbid a connection to \(server). Ask the proxy's operator.")
    case CURLPX_REPLY_ADDRESS_TYPE_NOT_SUPPORTED, CURLPX_REPLY_COMMAND_NOT_SUPPORTED, CURLPX_LONG_HOSTNAME:
        return TransferFailure(
            .proxyFailed,
            "The proxy \(name) does not support this kind of address for \(server). Use socks5 or socks5h instead.")
    case CURLPX_BAD_VERSION, CURLPX_BAD_ADDRESS_TYPE, CURLPX_UNKNOWN_FAIL, CURLPX_REPLY_UNASSIGNED:
        return TransferFailure(
            .proxyFailed,
            "The answer of \(name) is not that of a SOCKS proxy. Check the scheme and the port of the proxy.")
    case CURLPX_REPLY_GENERAL_SERVER_FAILURE, CURLPX_REQUEST_FAILED:
        return TransferFailure(
            .proxyFailed, "The proxy \(name) could not connect to \(server). Try again later.", origin: origin)
    default:
        return TransferFailure(
            .proxyFailed, "The connection to the proxy \(name) was lost. Try again later.", origin: origin)
    }
}
