import CCurl
import LonghaulCore
import LonghaulSystem

// The functions that libcurl calls. Each finds the object it was given and hands over.

func takeHeader(
    _ bytes: UnsafeMutablePointer<CChar>?, _ size: Int, _ count: Int, _ context: UnsafeMutableRawPointer?
) -> Int {
    ResponseIntake(exchange: exchange(context)).takeLine(UnsafeRawBufferPointer(start: bytes, count: size * count))
}

func takeBody(
    _ bytes: UnsafeMutablePointer<CChar>?, _ size: Int, _ count: Int, _ context: UnsafeMutableRawPointer?
) -> Int {
    ResponseIntake(exchange: exchange(context)).takeBody(UnsafeRawBufferPointer(start: bytes, count: size * count))
}

/// The heads that libcurl sends; those that it receives come as header lines.
func hearHead(
    _ handle: UnsafeMutableRawPointer?, _ kind: curl_infotype, _ bytes: UnsafeMutablePointer<CChar>?, _ count: Int,
    _ context: UnsafeMutableRawPointer?
) -> Int32 {
    if kind == CURLINFO_HEADER_OUT {
        exchange(context).wire.collector.sent(UnsafeRawBufferPointer(start: bytes, count: count))
    }
    return 0
}

func giveBody(
    _ bytes: UnsafeMutablePointer<CChar>?, _ size: Int, _ count: Int, _ context: UnsafeMutableRawPointer?
) -> Int {
    BodySupply(exchange: exchange(context)).fill(UnsafeMutableRawBufferPointer(start: bytes, count: size * count))
}

func rewindBody(_ context: UnsafeMutableRawPointer?, _ offset: curl_off_t, _ origin: Int32) -> Int32 {
    BodySupply(exchange: exchange(context)).rewind(to: Int64(offset), origin: origin)
}

func socketChanged(
    _ handle: UnsafeMutableRawPointer?, _ socket: curl_socket_t, _ what: Int32, _ context: UnsafeMutableRawPointer?,
    _ mark: UnsafeMutableRawPointer?
) -> Int32 {
    guard let context else { return -1 }
    if let handle { note(socket, what, of: handle) }
    return multiHandle(context).watch(socket, for: what, isKnown: mark != nil)
}

/// The only word of libcurl about which socket a running transfer uses; CURLINFO_ACTIVESOCKET knows it afterwards.
private func note(_ socket: curl_socket_t, _ what: Int32, of handle: UnsafeMutableRawPointer) {
    var context: UnsafeMutableRawPointer?
    guard longhaul_curl_get_pointer(handle, CURLINFO_PRIVATE, &context) == CURLE_OK, context != nil else { return }
    // Of several that it tries, one remains.
    guard what != CURL_POLL_REMOVE else { return }
    let exchange = exchange(context)
    exchange.wire.socket = socket
    exchange.thread.afterwards.openSockets.insert(socket)
}

func closeSocket(_ context: UnsafeMutableRawPointer?, _ socket: curl_socket_t) -> Int32 {
    guard let context else { return -1 }
    return networkThread(context).closeSocket(socket)
}

func hasAddress(_ context: UnsafeMutableRawPointer?, _ socket: curl_socket_t, _ purpose: curlsocktype) -> Int32 {
    let asking = exchange(context)
    LentDescriptor(socket).probePeer(asking.thread.multis.limits.probes)
    YieldingMember.prepare(socket, of: asking)
    // Without TLS there is nothing to learn from a connection but the address.
    if asking.url.scheme == "http" { asking.wayIsKnown() }
    return CURL_SOCKOPT_OK
}

func isConnected(
    _ context: UnsafeMutableRawPointer?, _ address: UnsafeMutablePointer<CChar>?,
    _ ownAddress: UnsafeMutablePointer<CChar>?, _ port: Int32, _ ownPort: Int32
) -> Int32 {
    exchange(context).wayIsKnown()
    return CURL_PREREQFUNC_OK
}

func hasMoved(
    _ context: UnsafeMutableRawPointer?, _ wanted: curl_off_t, _ received: curl_off_t, _ length: curl_off_t,
    _ sent: curl_off_t
) -> Int32 {
    exchange(context).listenForLastWords()
    return 0
}

func timerChanged(
    _ multi: UnsafeMutableRawPointer?, _ milliseconds: Int, _ context: UnsafeMutableRawPointer?
) -> Int32 {
    guard let context else { return -1 }
    multiHandle(context).setAlarm(milliseconds: milliseconds)
    return 0
}

/// The exchange outlives its transfer: its thread keeps it until the easy handle is out of the multi handle.
private func exchange(_ context: UnsafeMutableRawPointer?) -> Exchange {
    guard let context else { preconditionFailure("libcurl calls back with the context it was given.") }
    return Unmanaged<Exchange>.fromOpaque(context).takeUnretainedValue()
}

private func multiHandle(_ context: UnsafeMutableRawPointer) -> MultiHandle {
    Unmanaged<MultiHandle>.fromOpaque(context).takeUnretainedValue()
}

private func networkThread(_ context: UnsafeMutableRawPointer) -> NetworkThread {
    Unmanaged<NetworkThread>.fromOpaque(context).takeUnretainedValue()
}
