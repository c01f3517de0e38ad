import CCurl
import LonghaulCore

extension NetworkOptions {
    /// Sets libcurl's options for connections. `ExchangeIdentity` sets those for authentication.
    func setUp(_ easy: EasyHandle, for url: TransferURL) throws(TransferFailure) {
        // Rounded up: 0 means libcurl's own limit.
        let (waiting, overflow) = connectTimeout.microseconds.addingReportingOverflow(999)
        easy.set(CURLOPT_CONNECTTIMEOUT_MS, overflow ? 0 : Int(clamping: max(waiting, 0) / 1_000))
        easy.set(CURLOPT_USERAGENT, userAgent ?? "longhaul/0.1")
        // An empty value keeps libcurl from reading this process's environment.
        let proxy = try usedProxy(for: url)
        easy.set(CURLOPT_PROXY, proxy?.text(withLogin: true) ?? "")
        // libcurl also offers Kerberos to a SOCKS proxy, which may then choose that.
        if let proxy, !proxy.isHTTP, proxy.user != nil { easy.set(CURLOPT_SOCKS5_AUTH, Self.basic) }
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

    // CURLAUTH_BASIC, which Swift does not import.
    private static let basic = 1
}
