import CCurl
import LonghaulCore
import LonghaulFiles
import LonghaulSystem

/// The way of a body past libcurl, over a connection that carries nothing but HTTP/1: what libcurl has read or sent comes first, then the
/// engine's own calls on the same connection.
///
/// An exchange has one from the first time that this way may be taken, and goes on with libcurl alone where the connection cannot be taken.
final class DirectPath {
    private enum State {
        /// libcurl moves the body.
        case idle
        /// libcurl is to read no more than it has: once it has returned, the connection is taken.
        case stopping
        case taken(TakenSocket)
        /// It could not be taken, or was given back: libcurl moves the rest.
        case refused
    }

    /// How much is moved for one exchange before others get their turn.
    private static let turnLength: Int64 = 4 << 20

    private unowned let exchange: Exchange
    private var state = State.idle
    /// Bytes of the present request's body that did not pass through libcurl.
    private(set) var sent: Int64 = 0
    /// Whether a part of the response's body was received past libcurl. libcurl then waits for bytes that never come.
    private(set) var hasReceived = false

    init(_ exchange: Exchange) {
        self.exchange = exchange
    }

    private var thread: NetworkThread { exchange.thread }

    private var taken: TakenSocket? { if case .taken(let socket) = state { socket } else { nil } }

    /// Whether the engine itself moves the body.
    var isTaken: Bool { taken != nil }

    var isSending: Bool { taken?.direction == .sending }

    var isReceiving: Bool { taken?.direction == .receiving }

    var isRefused: Bool { if case .refused = state { true } else { false } }

    /// Our descriptor of the connection.
    var descriptor: Int32? { taken?.descriptor }

    /// Another request begins.
    func beginRequest() { sent = 0 }

    /// libcurl reads on until `endReading`, or until it returns; then the connection is taken to receive.
    func stopReading() {
        state = .stopping
        thread.willTakeOver(exchange)
    }

    /// From inside libcurl's callback: it reads no more than it has read.
    func endReading() {
        guard case .stopping = state, let easy = exchange.wire.easy else { return }
        // Refused, it reads on, and then is the one that moves this body.
        _ = thread.pauseReceiving(easy)
    }

    /// libcurl has returned: its part of the body is over, unless it holds bytes that it has not given or sent.
    func takeOver() {
        if case .stopping = state { state = .idle }
        guard let easy = exchange.wire.easy, exchange.machine.stop == nil, case .idle = state else { return }
        // The limit came a moment ago.
        if exchange.isLimited { return giveUp() }
        if let body = exchange.body {
            let hasSentAll = easy.offset(CURLINFO_SIZE_UPLOAD_T) + sent == body.position
            if exchange.machine.head == nil, hasSentAll { take(easy, for: .sending) } else { giveUp() }
        } else if case .writing(let file) = exchange.receiver {
            // Nothing is left when libcurl had read it all at once; it rests, and only needs to see its end.
            let isReady = file.missing ?? 0 > 0 && easy.offset(CURLINFO_SIZE_DOWNLOAD_T) == exchange.wire.given
            if isReady { take(easy, for: .receiving) } else { giveUp() }
        }
    }

    /// Leaves the rest of the body to libcurl.
    func giveBack() {
        guard isTaken else { return }
        drop()
        giveUp()
    }

    /// Lets go of the connection.
    func drop() {
        guard let taken else { return }
        if taken.isWatched { thread.taken.unwatch(taken.descriptor) }
        if taken.direction == .receiving, let socket = exchange.wire.socket { taken.putBack(as: socket) }
        state = .idle
    }

    private func take(_ easy: EasyHandle, for direction: TakenSocket.Direction) {
        guard let socket = exchange.wire.socket,
            let taken = TakenSocket(of: socket, port: easy.long(CURLINFO_LOCAL_PORT), for: direction)
        else { return giveUp() }
        state = .taken(taken)
        guard direction == .sending || standIn(easy, for: socket), watch() else {
            drop()
            return giveUp()
        }
    }

    /// Puts a socket without data in the connection's place: also at rest, libcurl 7.88 reads once more when its last
    /// look had found something to read.
    private func standIn(_ easy: EasyHandle, for socket: Int32) -> Bool {
        thread.pauseReceiving(easy) && thread.taken.standIn(for: socket)
    }

    private func giveUp() {
        state = .refused
        exchange.goOn()
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
        // Let go of earlier in this turn.
        case nil: break
        }
    }

    /// Receives what is there, as far as the writer has room.
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
                exchange.noteReceived(file)
                if file.missing == 0 { return exchange.conclude(code: CURLE_OK) }
                if count < room.count { break }
            } catch {
                thread.noteDeadPeer(of: taken.descriptor)
                return exchange.conclude(code: CURLE_RECV_ERROR)
            }
        }
        file.writer?.offer()
        if !watch() { giveBack() }
    }

    /// The socket is left alone until the writer has room.
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
                // A refusal may have come before the connection broke.
                thread.afterwards.lastWords.collect(from: taken.descriptor)
                return exchange.conclude(code: CURLE_SEND_ERROR)
            }
        }
        guard body.stretch.map({ $0.count <= ExchangeMachine.heldLength }) ?? true else { return }
        // The end of the file is libcurl's again.
        drop()
        exchange.goOn()
    }
}

// When it is taken.
extension Exchange {
    /// Whether parts of this request's body may leave without libcurl.
    private var mayBeSentDirectly: Bool {
        guard let body else { return false }
        return thread.files.paths.mayBeSentDirectly(body.length - ExchangeMachine.heldLength, isPlain: isPlain)
    }

    /// Whether libcurl may get fewer bytes than the body has: then it is not told how many there are, since version 8 fails
    /// for want of the rest.
    var mayWithholdBytes: Bool { body?.length ?? 0 > 0 && (machine.hold != .free || mayBeSentDirectly) }

    /// Whether the connection carries nothing but HTTP/1.
    var isPlain: Bool { url.scheme == "http" && !plan.connecting.mayUseSecureProxy }
}

extension NetworkOptions {
    /// Whether a proxy for plain HTTP may be spoken to over TLS. libcurl's own rule for a proxy from the environment is narrower: a doubt
    /// costs speed and nothing else.
    fileprivate var mayUseSecureProxy: Bool {
        let proxies =
            proxy(for: "http").map { [$0] }
            ?? ["http_proxy", "all_proxy", "ALL_PROXY"].map { ThisProcess.variable($0) ?? "" }
        return proxies.contains { $0.lowercased().hasPrefix("https:") }
    }
}
