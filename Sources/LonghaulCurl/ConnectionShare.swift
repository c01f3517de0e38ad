import CCurl

/// What the easy handles of one thread know together: TLS sessions. Name lookups and connections they share by the multi handle.
///
/// libcurl 7.88 keeps TLS sessions for each easy handle, so that another handle's connection would begin with a whole handshake.
final class ConnectionShare {
    let raw: UnsafeMutableRawPointer

    init?() {
        guard let raw = curl_share_init() else { return nil }
        guard longhaul_curl_share(raw, CURL_LOCK_DATA_SSL_SESSION) == CURLSHE_OK else {
            curl_share_cleanup(raw)
            return nil
        }
        self.raw = raw
    }

    /// After every easy handle that uses it.
    deinit { curl_share_cleanup(raw) }
}
