import CCurl
import LonghaulCore
import LonghaulSystem

// The functions that libcurl calls. Each finds its object and calls a method.

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

/// Records request headers that libcurl sends. Response headers arrive as header lines.
func processHead(
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
    if let handle { recordSocket(socket, what, of: handle) }
    return multiHandle(context).watch(socket, for: what, isKnown: mark != nil)
}

/// Records the socket of a running transfer, which libcurl reveals only here; CURLINFO_ACTIVESOCKET has it afterwards.
private func recordSocket(_ socket: curl_socket_t, _ what: Int32, of handle: UnsafeMutableRawPointer) {
    var context: UnsafeMutableRawPointer?
    guard longhaul_curl_get_pointer(handle, CURLINFO_PRIVATE, &context) == CURLE_OK, context != nil else { return }
    // libcurl may try several sockets, one of which remains.
    guard what != CURL_POLL_REMOVE else { return }
    let exchange = exchange(context)
    exchange.wire.socket = socket
    exchange.thread.deferred.openSockets[socket] = exchange.ticket
    exchange.thread.deferred.idleSockets.remove(socket)
}

func closeSocket(_ context: UnsafeMutableRawPointer?, _ socket: curl_socket_t) -> Int32 {
    guard let context else { return -1 }
    return networkThread(context).closeSocket(socket)
}

func hasAddress(_ context: UnsafeMutableRawPointer?, _ socket: curl_socket_t, _ purpose: curlsocktype) -> Int32 {
    let asking = exchange(context)
    LentDescriptor(socket).probePeer(asking.thread.multis.limits.probes)
    YieldingMember.prepare(socket, of: asking)
    // Without TLS, a connection reveals nothing beyond its address.
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

/// As `isConnected`, for a request whose body libcurl requests from `giveBody`.
func beginsWithBody(
    _ context: UnsafeMutableRawPointer?, _ address: UnsafeMutablePointer<CChar>?,
    _ ownAddress: UnsafeMutablePointer<CChar>?, _ port: Int32, _ ownPort: Int32
) -> Int32 {
    let asking = exchange(context)
    BodySupply(exchange: asking).beginRequest()
    asking.wayIsKnown()
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

/// Returns the exchange of a callback. It outlives its transfer: its thread keeps it until the easy handle is removed
/// from the multi handle.
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
