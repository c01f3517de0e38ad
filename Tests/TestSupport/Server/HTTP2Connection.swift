import CNGHTTP2
import Glibc
import LonghaulCore

/// The settings that a server sends when an HTTP/2 connection starts.
package struct HTTP2Settings: Sendable {
    package var maximumStreams: UInt32 = 100
    /// How many bytes of a request's body may arrive before they are read.
    package var window: UInt32 = 256 << 10
    /// Whether clients that do not offer HTTP/2 are served over HTTP/1.1, as by most servers. Off by default, so that
    /// no other protocol is mistaken for HTTP/2.
    package var alsoSpeaksHTTP1 = false

    package init() {}

    package static var withHTTP1: Self {
        var settings = Self()
        settings.alsoSpeaksHTTP1 = true
        return settings
    }
}

/// Serves one HTTP/2 connection: only its thread uses the session and the channel, and each exchange has a separate
/// thread that sends orders.
final class HTTP2Connection {
    private struct Orders: Sendable {
        var waiting: [(stream: Int32, order: HTTP2Stream.Order)] = []
    }

    private static let recordLength = 16 << 10

    private enum Closing {
        case orderly
        case hard
    }

    let hall: ServerState
    let number: Int
    private let channel: Channel
    private let orders = Monitor(Orders())
    private let doorbell = Doorbell()
    private var session: OpaquePointer?
    /// Streams whose headers are incomplete.
    var heads: [Int32: [HeaderField]] = [:]
    var streams: [Int32: HTTP2Stream] = [:]
    /// Streams whose response was sent completely.
    private var answered: Set<Int32> = []
    /// Streams that are reset after their response.
    private var refusing: Set<Int32> = []
    private var pending: [UInt8] = []
    private var closing: Closing?

    init(_ hall: ServerState, _ channel: Channel, number: Int, _ settings: HTTP2Settings) {
        self.hall = hall
        self.channel = channel
        self.number = number
        session = HTTP2Callbacks.makeSession(for: Unmanaged.passUnretained(self).toOpaque())
        var entries = [
            nghttp2_settings_entry(
                settings_id: Int32(NGHTTP2_SETTINGS_MAX_CONCURRENT_STREAMS.rawValue), value: settings.maximumStreams),
            nghttp2_settings_entry(
                settings_id: Int32(NGHTTP2_SETTINGS_INITIAL_WINDOW_SIZE.rawValue), value: settings.window),
        ]
        nghttp2_submit_settings(session, UInt8(NGHTTP2_FLAG_NONE.rawValue), &entries, entries.count)
    }

    deinit { nghttp2_session_del(session) }

    func serve() {
        channel.setBlocking(false)
        while true {
            followOrders()
            guard let isBlocked = try? flush() else { break }
            if let closing, !isBlocked {
                forgetStreams()
                switch closing {
                case .orderly: channel.finish()
                case .hard: channel.prepareReset()
                }
                return
            }
            if !isBlocked, nghttp2_session_want_read(session) == 0, nghttp2_session_want_write(session) == 0 {
                forgetStreams()
                return channel.finish()
            }
            waitForWork(isBlocked: isBlocked)
            guard (try? receive()) != nil else { break }
        }
        forgetStreams()
    }

    /// Starts the exchange whose headers are complete.
    func begin(_ id: Int32, isOver: Bool) {
        guard let fields = heads.removeValue(forKey: id) else { return }
        let (orders, doorbell) = (orders, doorbell)
        let stream = HTTP2Stream(announcesBody: !isOver) { new in
            orders.update { orders in orders.waiting += new.map { (id, $0) } }
            doorbell.ring()
        }
        streams[id] = stream
        let head = RequestHead(
            method: fields.single(":method") ?? "", target: fields.single(":path") ?? "", version: "HTTP/2",
            headers: [HeaderField("Host", fields.single(":authority") ?? "")]
                + fields.filter { !$0.name.hasPrefix(":") })
        let request = hall.begin(head, connection: number)
        hall.enter()
        let hall = hall
        startThread {
            stream.serve(hall, request)
            hall.threadEnded()
        }
    }

    func receive(_ bytes: UnsafeRawBufferPointer, of id: Int32) {
        // A stalled stream must not take the others' share of the connection.
        nghttp2_session_consume_connection(session, bytes.count)
        guard let stream = streams[id] else { return }
        let isWanted = stream.state.update { state in
            if !state.isHeardOut { state.inbound.append(contentsOf: bytes) }
            return !state.isHeardOut
        }
        if !isWanted { nghttp2_session_consume_stream(session, id, bytes.count) }
    }

    func endInbound(of id: Int32) {
        streams[id]?.state.update { $0.isInboundOver = true }
    }

    /// Handles the end of a stream's response: the last frame was sent.
    func endOutbound(of id: Int32) {
        if refusing.remove(id) != nil { reset(id, .noError) } else { answered.insert(id) }
    }

    private func refuseRest(of id: Int32) {
        guard streams[id] != nil else { return }
        if answered.contains(id) { reset(id, .noError) } else { refusing.insert(id) }
    }

    private func reset(_ id: Int32, _ code: Reply.StreamError) {
        nghttp2_submit_rst_stream(session, UInt8(NGHTTP2_FLAG_NONE.rawValue), id, code.rawValue)
    }

    func forget(_ id: Int32) {
        heads[id] = nil
        answered.remove(id)
        refusing.remove(id)
        streams.removeValue(forKey: id)?.state.update { $0.isGone = true }
    }

    private func forgetStreams() {
        for id in Array(streams.keys) { forget(id) }
    }

    private func followOrders() {
        let waiting = orders.update { orders in
            defer { orders.waiting = [] }
            return orders.waiting
        }
        for (id, order) in waiting where closing == nil {
            switch order {
            case .interim(let fields): HTTP2Callbacks.submit(session, id, fields, as: .interim)
            case .head(let fields, let hasBody):
                HTTP2Callbacks.submit(session, id, fields, as: hasBody ? .answer : .answerWithoutBody)
            case .more: nghttp2_session_resume_data(session, id)
            case .consumed(let count): nghttp2_session_consume_stream(session, id, count)
            case .reset(let code): reset(id, code)
            case .refuseRest: refuseRest(of: id)
            case .goAway:
                let last = nghttp2_session_get_last_proc_stream_id(session)
                nghttp2_submit_goaway(session, UInt8(NGHTTP2_FLAG_NONE.rawValue), last, 0, nil, 0)
            case .cutConnection: closing = .orderly
            case .resetConnection: closing = .hard
            case .raw(let bytes): pending += bytes
            }
        }
    }

    /// Sends the pending frames. Returns whether the peer accepts no more now.
    private func flush() throws(Channel.Failure) -> Bool {
        while true {
            try gather()
            if pending.isEmpty { return false }
            let sent: Result<Int, Channel.Failure> = pending.withUnsafeBytes { bytes in
                Result { () throws(Channel.Failure) in try channel.write(bytes) }
            }
            switch sent {
            case .success(let count): pending.removeFirst(count)
            case .failure(.wouldBlock): return true
            case .failure(.ended): throw .ended
            }
        }
    }

    /// Collects the pending frames, as most servers do, so that one TLS record contains them.
    private func gather() throws(Channel.Failure) {
        while pending.count < Self.recordLength {
            var next: UnsafePointer<UInt8>?
            let count = nghttp2_session_mem_send(session, &next)
            guard count >= 0 else { throw .ended }
            if count == 0 { return }
            pending += UnsafeBufferPointer(start: next, count: count)
        }
    }

    private func waitForWork(isBlocked: Bool) {
        let events = Int16(POLLIN) | (isBlocked ? Int16(POLLOUT) : 0)
        var watched = [
            pollfd(fd: channel.descriptor, events: events, revents: 0),
            pollfd(fd: doorbell.descriptor, events: Int16(POLLIN), revents: 0),
        ]
        poll(&watched, 2, -1)
        if watched[1].revents != 0 { doorbell.hush() }
    }

    private func receive() throws(Channel.Failure) {
        var buffer = [UInt8](repeating: 0, count: 1 << 14)
        while true {
            let got: Result<Int, Channel.Failure> = buffer.withUnsafeMutableBytes { bytes in
                Result { () throws(Channel.Failure) in try channel.read(into: bytes) }
            }
            switch got {
            case .success(let count):
                guard nghttp2_session_mem_recv(session, buffer, count) >= 0 else { throw .ended }
            case .failure(.wouldBlock): return
            case .failure(.ended): throw .ended
            }
        }
    }
}

/// Wakes a thread that waits in `poll`.
private final class Doorbell: Sendable {
    let descriptor: Int32
    private let button: Int32

    init() {
        var ends: [Int32] = [-1, -1]
        guard pipe(&ends) == 0 else { fatalError("no descriptors are left") }
        for end in ends {
            _ = fcntl(end, F_SETFD, FD_CLOEXEC)
            _ = fcntl(end, F_SETFL, O_NONBLOCK)
        }
        (descriptor, button) = (ends[0], ends[1])
    }

    deinit {
        close(descriptor)
        close(button)
    }

    /// Rings. A full pipe is ringing already.
    func ring() { _ = write(button, [0], 1) }

    func hush() {
        var rings = [UInt8](repeating: 0, count: 512)
        while read(descriptor, &rings, rings.count) > 0 {}
    }
}
