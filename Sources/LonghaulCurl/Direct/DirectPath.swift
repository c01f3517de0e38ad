import CCurl
import LonghaulCore
import LonghaulFiles
import LonghaulSystem

/// The path of a body past libcurl, over a connection that carries only plain HTTP/1: first the bytes that libcurl has read or sent, then
/// the engine's own calls on the same connection.
///
/// An exchange creates it when this path first becomes possible, and continues with libcurl alone if the connection cannot be taken over.
final class DirectPath {
    private enum State {
        /// libcurl transfers the body.
        case idle
        /// libcurl is to read no more than it has. Once it returns, the connection is taken over.
        case stopping
        case taken(TakenSocket)
        /// The connection could not be taken over, or was returned: libcurl transfers the rest.
        case refused
    }

    /// The number of bytes for one exchange before others get their turn.
    private static let turnLength: Int64 = 4 << 20

    private unowned let exchange: Exchange
    private var state = State.idle
    /// Bytes of the current request's body that did not pass through libcurl.
    private(set) var sent: Int64 = 0
    /// Whether a part of the response's body bypassed libcurl, which then waits for bytes that never arrive.
    private(set) var hasReceived = false

    init(_ exchange: Exchange) {
        self.exchange = exchange
    }

    private var thread: NetworkThread { exchange.thread }

    private var taken: TakenSocket? { if case .taken(let socket) = state { socket } else { nil } }

    /// Whether the engine itself transfers the body.
    var isTaken: Bool { taken != nil }

    var isSending: Bool { taken?.direction == .sending }

    var isReceiving: Bool { taken?.direction == .receiving }

    var isRefused: Bool { if case .refused = state { true } else { false } }

    /// The engine's descriptor of the connection.
    var descriptor: Int32? { taken?.descriptor }

    /// Starts another request.
    func beginRequest() { sent = 0 }

    /// Lets libcurl read until `endReading`, or until it returns. Then the connection is taken over for receiving.
    func stopReading() {
        state = .stopping
        thread.willTakeOver(exchange)
    }

    /// Stops libcurl's reading, from inside its callback.
    func endReading() {
        guard case .stopping = state, let easy = exchange.wire.easy else { return }
        // If libcurl refuses, it continues to read, and so transfers this body.
        _ = thread.pauseReceiving(easy)
    }

    /// Takes over the connection after libcurl returned, unless libcurl holds bytes that it has not passed on or sent.
    func takeOver() {
        if case .stopping = state { state = .idle }
        guard let easy = exchange.wire.easy, exchange.machine.stop == nil, case .idle = state else { return }
        // The limit was set a moment ago.
        if exchange.isLimited { return giveUp() }
        if let body = exchange.body {
            let hasSentAll = easy.offset(CURLINFO_SIZE_UPLOAD_T) + sent == body.position
            if exchange.machine.head == nil, hasSentAll { takeOver(easy, for: .sending) } else { giveUp() }
        } else if case .writing(let file) = exchange.receiver {
            // If libcurl had read everything at once, nothing is left: it is paused, and only needs to see the end.
            let isReady = file.missing ?? 0 > 0 && easy.offset(CURLINFO_SIZE_DOWNLOAD_T) == exchange.wire.given
            if isReady { takeOver(easy, for: .receiving) } else { giveUp() }
        }
    }

    /// Leaves the rest of the body to libcurl.
    func giveBack() {
        guard isTaken else { return }
        drop()
        giveUp()
    }

    /// Releases the connection.
    func drop() {
        guard let taken else { return }
        if taken.isWatched { thread.taken.unwatch(taken.descriptor) }
        if taken.direction == .receiving, let socket = exchange.wire.socket { taken.putBack(as: socket) }
        state = .idle
    }

    private func takeOver(_ easy: EasyHandle, for direction: TakenSocket.Direction) {
        guard let socket = exchange.wire.socket,
            let taken = TakenSocket(of: socket, port: easy.long(CURLINFO_LOCAL_PORT), for: direction)
        else { return giveUp() }
        state = .taken(taken)
        guard direction == .sending || standIn(easy, for: socket), watch() else {
            drop()
            return giveUp()
        }
    }

    /// Replaces the connection by a socket without data: even while paused, libcurl 7.88 reads once more if its last poll had found data.
    private func standIn(_ easy: EasyHandle, for socket: Int32) -> Bool {
        thread.pauseReceiving(easy) && thread.taken.standIn(for: socket)
    }

    private func giveUp() {
        state = .refused
        exchange.proceed()
    }

    private func watch() -> Bool {
        guard var taken, !taken.isWatched else { return true }
        taken.isWatched = thread.taken.watch(taken, of: exchange)
        state = .taken(taken)
        return taken.isWatched
    }

    private func unwatch() {
        guard var taken, taken.isWatched else { return }
        thread.taken.unwatch(taken.descriptor)
        taken.isWatched = false
        state = .taken(taken)
    }
}

// The two directions.
extension DirectPath {
    func socketIsReady() {
        switch taken?.direction {
        case .receiving: receive()
        case .sending: send()
        // Released earlier in this turn.
        case nil: break
        }
    }

    /// Receives the available bytes, as far as the writer has room.
    func receive() {
        guard let taken, case .writing(let file) = exchange.receiver else { return }
        var left = Self.turnLength
        hasReceived = true
        while left > 0 {
            guard let room = file.room() else { return rest(file) }
            do throws(SystemError) {
                guard let count = try taken.receive(into: room) else { break }
                if count == 0 { return exchange.conclude(code: CURLE_PARTIAL_FILE) }
                file.received(count)
                left -= Int64(count)
                exchange.recordReceived(file)
                if file.missing == 0 { return exchange.conclude(code: CURLE_OK) }
                if count < room.count { break }
            } catch {
                thread.recordDeadPeer(of: taken.descriptor)
                return exchange.conclude(code: CURLE_RECV_ERROR)
            }
        }
        file.writer?.offer()
        if !watch() { giveBack() }
    }

    /// Stops watching the socket until the writer has room.
    private func rest(_ file: PartialFile) {
        guard let writer = file.writer else { return }
        if writer.awaitRoom(for: 1) { return unwatch() }
        if let failure = writer.failure { return exchange.conclude(stop: .failure(failure)) }
        if !watch() { giveBack() }
    }

    private func send() {
        guard let taken, let body = exchange.body else { return }
        var left = Self.turnLength
        while left > 0 {
            guard let stretch = body.stretch, stretch.count > ExchangeMachine.heldLength else { break }
            do throws(SystemError) {
                let count = min(stretch.count - ExchangeMachine.heldLength, left)
                guard let now = try taken.send(stretch.descriptor, at: stretch.offset, count: Int(count)) else {
                    return
                }
                if now == 0 { return exchange.conclude(stop: .failure(body.sourceHasChanged)) }
                body.skip(Int64(now))
                sent += Int64(now)
                left -= Int64(now)
                exchange.progress.moved(sent: body.position, at: thread.now)
            } catch {
                // The server may have sent a refusal before the connection broke.
                thread.deferred.unreadResponses.collect(from: taken.descriptor)
                return exchange.conclude(code: CURLE_SEND_ERROR)
            }
        }
        guard body.stretch.map({ $0.count <= ExchangeMachine.heldLength }) ?? true else { return }
        // libcurl sends the end of the file.
        drop()
        exchange.proceed()
    }
}

// The conditions for a direct path.
extension Exchange {
    /// Whether parts of this request's body may be sent without libcurl.
    private var mayBeSentDirectly: Bool {
        guard let body else { return false }
        return thread.files.paths.mayBeSentDirectly(body.length - ExchangeMachine.heldLength, isPlain: isPlain)
    }

    /// Whether libcurl may get fewer bytes than the body has. It then does not learn the length, because version 8 fails if bytes are
    /// missing.
    var mayWithholdBytes: Bool { body?.length ?? 0 > 0 && (machine.hold != .free || mayBeSentDirectly) }

    /// Whether the connection carries only plain HTTP/1.
    var isPlain: Bool { url.scheme == "http" && !plan.connecting.mayUseSecureProxy }
}

extension NetworkOptions {
    /// Whether a proxy for plain HTTP may use TLS. libcurl's own rule for a proxy from the environment is narrower, but a wrong `true`
    /// costs only speed.
    fileprivate var mayUseSecureProxy: Bool {
        let proxies =
            proxy(for: "http").map { [$0] }
            ?? ["http_proxy", "all_proxy", "ALL_PROXY"].map { ThisProcess.variable($0) ?? "" }
        return proxies.contains { $0.lowercased().hasPrefix("https:") }
    }
}
