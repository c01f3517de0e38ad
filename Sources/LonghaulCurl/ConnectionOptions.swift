import CCurl
import LonghaulCore

extension NetworkOptions {
    /// Sets libcurl's options for connections. `ExchangeIdentity` sets those for authentication.
    func setUp(_ easy: EasyHandle, for url: TransferURL, logins: ProxyLogins) throws(TransferFailure) {
        // Rounded up: 0 means libcurl's own limit.
        let (waiting, overflow) = connectTimeout.microseconds.addingReportingOverflow(999)
        easy.set(CURLOPT_CONNECTTIMEOUT_MS, overflow ? 0 : Int(clamping: max(waiting, 0) / 1_000))
        easy.set(CURLOPT_USERAGENT, userAgent ?? "longhaul/0.1")
        // An empty value keeps libcurl from reading this process's environment.
        if let proxy = try usedProxy(for: url) {
            use(proxy, easy, for: url, logins.scheme(for: proxy))
        } else {
            easy.set(CURLOPT_PROXY, "")
        }
        if let proxyExceptions { easy.set(CURLOPT_NOPROXY, proxyExceptions) }
        if let caFile {
            easy.set(CURLOPT_CAINFO, caFile)
        } else if LibcurlFeature.needsNoDirectoryOfAuthorities {
            easy.clear(CURLOPT_CAPATH)
        }
        let key = trustedKey(of: url)
        if let key { easy.set(CURLOPT_PINNEDPUBLICKEY, key) }
        // A server with an accepted key is verified by the key alone.
        if allowsUntrustedServer || key != nil {
            easy.set(CURLOPT_SSL_VERIFYPEER, 0)
            easy.set(CURLOPT_SSL_VERIFYHOST, 0)
        }
    }

    private func use(_ proxy: ProxyAddress, _ easy: EasyHandle, for url: TransferURL, _ scheme: ProxyLogins.Scheme) {
        switch scheme {
        case .basic:
            easy.set(CURLOPT_PROXY, proxy.text(withLogin: true))
            // libcurl also offers Kerberos to a SOCKS proxy, which may then choose that.
            if !proxy.isHTTP, proxy.user != nil { easy.set(CURLOPT_SOCKS5_AUTH, Self.basic) }
        case .digest:
            // Without a tunnel, `RequestLines` has the answer.
            easy.set(CURLOPT_PROXY, proxy.text(withLogin: url.scheme == "https"))
            if url.scheme == "https" { easy.set(CURLOPT_PROXYAUTH, Self.digest) }
        case .negotiate:
            easy.set(CURLOPT_PROXY, proxy.text(withLogin: false))
            easy.set(CURLOPT_PROXYAUTH, Self.negotiation)
            // The ticket names the user, but libcurl requires a name too.
            easy.set(CURLOPT_PROXYUSERPWD, ":")
        }
    }

    // CURLAUTH_BASIC, CURLAUTH_DIGEST, and CURLAUTH_NEGOTIATE, which Swift does not import.
    private static let basic = 1
    private static let digest = 2
    private static let negotiation = 4
}
