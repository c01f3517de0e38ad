import CCurl
import LonghaulCore
import LonghaulSystem

/// A multi handle of libcurl: idle connections for later exchanges, and a timer. Owned by the network thread.
final class MultiHandle {
    let raw: UnsafeMutableRawPointer
    /// The time of libcurl's timer in monotonic nanoseconds.
    fileprivate(set) var alarm: Int64?
    private let poller: Poller
    private let clock: EngineClock
    /// Distinguishes its sockets from those of other handles.
    private let number: UInt32
    /// The number of running transfers.
    var transfers = 0
    /// The connections in use.
    private var peers: [curl_socket_t: PeerWatch] = [:]
    /// The sockets of connections with HTTP/2, if libcurl may forget frames that it has read from them.
    private var streamSockets: Set<curl_socket_t> = []
    /// Whether a stream has ended or continued since the last time that all frames were delivered.
    private var mayHaveForgotten = false
    /// The number of connections that libcurl keeps.
    private(set) var room = 0
    private var isClosed = false

    /// Returns `nil` if memory is exhausted.
    init?(number: UInt32, poller: Poller, clock: EngineClock) {
        guard let raw = curl_multi_init() else { return nil }
        self.raw = raw
        self.poller = poller
        self.clock = clock
        self.number = number
        let context = Unmanaged.passUnretained(self).toOpaque()
        guard longhaul_curl_multi_set_socket(raw, socketChanged, context) == CURLM_OK,
            longhaul_curl_multi_set_timer(raw, timerChanged, context) == CURLM_OK
        else {
            close()
            return nil
        }
    }

    /// libcurl calls the network thread for each connection that it closes, which is too late while the thread's own
    /// properties are being destroyed.
    deinit { assert(isClosed, "The connections must be closed first.") }

    /// Closes all connections, after every easy handle was removed.
    func close() {
        guard !isClosed else { return }
        isClosed = true
        curl_multi_cleanup(raw)
    }

    func act(on socket: curl_socket_t, directions: Int32) {
        var running: Int32 = 0
        let code = curl_multi_socket_action(raw, socket, directions, &running)
        precondition(code == CURLM_OK, "libcurl lost its state: \(code.rawValue).")
    }

    /// Records the connection of a response over HTTP/2.
    func recordStreams(on socket: curl_socket_t) {
        if LibcurlFeature.mishandlesStreams { streamSockets.insert(socket) }
    }

    /// A stream has ended, or continues after a pause.
    func streamHasMoved() { mayHaveForgotten = !streamSockets.isEmpty }

    /// Delivers the frames that libcurl has read but may have forgotten: while a stream's buffer is full, libcurl stops in the middle of
    /// what it has read from the connection, and nothing wakes the other streams later. Returns whether there may have been some.
    ///
    /// - Parameter inAnyCase: Whether to do so even if no stream has moved.
    func deliverForgotten(inAnyCase: Bool = false) -> Bool {
        guard mayHaveForgotten || inAnyCase, !streamSockets.isEmpty else { return false }
        mayHaveForgotten = false
        for socket in streamSockets { act(on: socket, directions: CURL_CSELECT_IN) }
        return true
    }

    /// Handles the timer.
    func wake() {
        alarm = nil
        act(on: CURL_SOCKET_TIMEOUT, directions: 0)
    }

    /// Sets the number of idle connections that libcurl keeps. Its default is four for each running exchange, so it
    /// would close most of them when many exchanges end at once.
    func keep(_ connections: Int) {
        guard connections != room,
            longhaul_curl_multi_set_long(raw, CURLMOPT_MAXCONNECTS, connections) == CURLM_OK
        else { return }
        room = connections
    }

    /// Ends the connections whose peers have not responded for `limit` nanoseconds, and returns their local ports.
    func endDeadConnections(limit: Int64) -> [UInt16] {
        var ports: [UInt16] = []
        for socket in peers.keys {
            let connection = LentDescriptor(socket)
            guard peers[socket]?.isDead(connection, limit: limit) == true else { continue }
            if let port = connection.localPort { ports.append(port) }
            connection.abortConnection()
        }
        return ports
    }

    /// Returns the context and the result of a finished transfer; `nil` if there is none.
    func nextFinished() -> (context: UnsafeMutableRawPointer, code: CURLcode)? {
        var left: Int32 = 0
        while let message = curl_multi_info_read(raw, &left) {
            guard message.pointee.msg == CURLMSG_DONE, let handle = message.pointee.easy_handle else { continue }
            var context: UnsafeMutableRawPointer?
            guard longhaul_curl_get_pointer(handle, CURLINFO_PRIVATE, &context) == CURLE_OK, let context else {
                preconditionFailure("Every transfer has its exchange.")
            }
            return (context, message.pointee.data.result)
        }
        return nil
    }
}

// libcurl's callbacks.
extension MultiHandle {
    func watch(_ socket: curl_socket_t, for what: Int32, isKnown: Bool) -> Int32 {
        var interest: Readiness = []
        if what == CURL_POLL_IN || what == CURL_POLL_INOUT { interest.insert(.readable) }
        if what == CURL_POLL_OUT || what == CURL_POLL_INOUT { interest.insert(.writable) }
        if interest.isEmpty {
            poller.remove(socket)
            peers[socket] = nil
            streamSockets.remove(socket)
            return 0
        }
        let key = SocketKey(multi: number, socket: socket).number
        // A failure reported to libcurl would end the handle, and with it all exchanges. Instead, the timeouts end this
        // one.
        guard poller.watch(socket, key: key, interest: interest, isKnown: isKnown) else { return 0 }
        if peers[socket] == nil { peers[socket] = PeerWatch() }
        if !isKnown { curl_multi_assign(raw, socket, Unmanaged.passUnretained(self).toOpaque()) }
        return 0
    }

    func setAlarm(milliseconds: Int) {
        alarm = milliseconds < 0 ? nil : clock.now + Int64(milliseconds) * 1_000_000
    }
}
