import CCurl
import LonghaulCore
import LonghaulSystem

// What libcurl tells its thread.
extension NetworkThread {
    func watch(_ socket: curl_socket_t, for what: Int32, isKnown: Bool) -> Int32 {
        var interest: Readiness = []
        if what == CURL_POLL_IN || what == CURL_POLL_INOUT { interest.insert(.readable) }
        if what == CURL_POLL_OUT || what == CURL_POLL_INOUT { interest.insert(.writable) }
        if interest.isEmpty {
            poller.remove(socket)
            return 0
        }
        let key = UInt64(socket)
        guard poller.watch(socket, key: key, interest: interest, isKnown: isKnown) else { return -1 }
        if !isKnown { curl_multi_assign(multi, socket, Unmanaged.passUnretained(self).toOpaque()) }
        return 0
    }

    func closeSocket(_ socket: curl_socket_t) -> Int32 {
        lastWords.collect(from: socket)
        return (try? LentDescriptor(socket).close()) == nil ? -1 : 0
    }

    func setTimer(milliseconds: Int) {
        timer = milliseconds < 0 ? nil : SystemClock.monotonic() + Int64(milliseconds) * 1_000_000
    }
}
