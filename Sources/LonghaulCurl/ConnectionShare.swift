import CCurl
import LonghaulCore

/// What the easy handles of one thread know together: TLS sessions and addresses of names. Connections they share by the multi handle.
///
/// libcurl 7.88 keeps TLS sessions for each easy handle, so that another handle's connection would begin with a whole handshake.
final class ConnectionShare {
    let raw: UnsafeMutableRawPointer

    /// `ofCookies`: handles that use it know the same cookies as well.
    init?(ofCookies: Bool = false) {
        guard let raw = curl_share_init() else { return nil }
        for what in [CURL_LOCK_DATA_SSL_SESSION, CURL_LOCK_DATA_DNS] + (ofCookies ? [CURL_LOCK_DATA_COOKIE] : [])
        where longhaul_curl_share(raw, what) != CURLSHE_OK {
            curl_share_cleanup(raw)
            return nil
        }
        self.raw = raw
    }

    /// After every easy handle that uses it.
    deinit { curl_share_cleanup(raw) }
}
