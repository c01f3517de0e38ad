import CCurl
import LonghaulCore

/// The TLS sessions and DNS results that the easy handles of one thread share. The multi handle shares their
/// connections.
///
/// libcurl 7.88 keeps TLS sessions in each easy handle, so without the share, a connection of another handle would
/// start with a full handshake.
final class ConnectionShare {
    let raw: UnsafeMutableRawPointer

    /// `ofCookies`: handles that use the share also share cookies.
    init?(ofCookies: Bool = false) {
        guard let raw = curl_share_init() else { return nil }
        for what in [CURL_LOCK_DATA_SSL_SESSION, CURL_LOCK_DATA_DNS] + (ofCookies ? [CURL_LOCK_DATA_COOKIE] : [])
        where longhaul_curl_share(raw, what) != CURLSHE_OK {
            curl_share_cleanup(raw)
            return nil
        }
        self.raw = raw
    }

    /// Called after the last easy handle that uses the share.
    deinit { curl_share_cleanup(raw) }
}
