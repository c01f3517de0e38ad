import CCurl
import LonghaulCore
import LonghaulSystem
import Synchronization

// Bodies that pass by libcurl: what it has read or sent first, then the engine's own calls on the same connection.
extension Exchange {
    /// How much is moved for one exchange before others get their turn.
    private static let turnLength: Int64 = 4 << 20

    func path(of file: PartialFile) -> BodyPath {
        if plan.sink.isFollowed { return .streamed }
        var traits = ResponseTraits(bodyLength: file.missing)
        traits.isFramedByLength = head?.announcedBodyLength != nil
        traits.isPlain = isPlain
        traits.isRateLimited = isLimited
        traits.keepsConnection = isHelper && crew?.isFar == true
        traits.isDigested = file.target.isDigested
        traits.hasSentAll = body == nil
        return thread.bodyPaths.path(of: traits)
    }

    /// Gives an open file the writer that its path asks for. Where there is none to spare the network thread writes.
    func choosePath(of file: PartialFile) {
        file.isFollowed = plan.sink.isFollowed
        let path = path(of: file)
        guard path == .handedOver || path == .takenOver else { return }
        file.target.mayBeDirect = true
        guard let writer = thread.makeWriter(of: file.target, for: self) else { return }
        self.writer = writer
        file.write(by: writer)
        guard path == .takenOver else { return }
        isTakingOver = true
        thread.willTakeOver(self)
    }

    /// Whether parts of this request's body may leave without libcurl.
    private var mayBeSentDirectly: Bool {
        guard let body else { return false }
        return thread.bodyPaths.mayBeSentDirectly(body.length - Self.heldLength, isPlain: isPlain)
    }

    /// Whether libcurl may get fewer bytes than the body has: then it is not told how many there are, since version 8 fails
    /// for want of the rest.
    var mayWithholdBytes: Bool { body?.length ?? 0 > 0 && (hold != .none || mayBeSentDirectly) }

    func canSendDirectly(_ body: RequestBody) -> Bool {
        // libcurl sends the first bytes, and so the head before them, and the last ones, which are checked and may be held.
        guard !mustUseLibcurl, !isLimited, !plan.yields, head == nil, body.position > 0, let stretch = body.stretch
        else {
            return false
        }
        return thread.bodyPaths.mayBeSentDirectly(stretch.count - Self.heldLength, isPlain: isPlain)
    }

    /// libcurl has returned: its part of the body is over, unless it holds bytes that it has not given or sent.
    func takeOver() {
        isTakingOver = false
        guard case .transferring(let easy) = stage, stop == nil, taken == nil, !mustUseLibcurl else { return }
        // The limit came a moment ago.
        if isLimited { return giveUp(easy) }
        if body != nil {
            let isReady = head == nil && easy.offset(CURLINFO_SIZE_UPLOAD_T) + sentDirectly == body?.position
            if isReady { take(easy, for: .sending) } else { giveUp(easy) }
        } else if case .writing(let file) = reception {
            // Nothing is left when libcurl had read it all at once; it rests, and only needs to see its end.
            let isReady = file.missing ?? 0 > 0 && easy.offset(CURLINFO_SIZE_DOWNLOAD_T) == given
            if isReady { take(easy, for: .receiving) } else { giveUp(easy) }
        }
    }

    /// libcurl begins or ends to watch a socket for this exchange: of several that it tries, one remains.
    func socketChanged(_ socket: Int32, isGone: Bool) {
        if !isGone { self.socket = socket }
    }

    /// From inside libcurl's callback: it reads no more than it has read.
    func endReading() {
        guard isTakingOver, case .transferring(let easy) = stage else { return }
        // Refused, it reads on, and then is the one that moves this body.
        _ = thread.pauseReceiving(easy)
    }

    func takenSocketIsReady() {
        switch taken?.direction {
        case .receiving: if case .writing(let file) = reception { receive(into: file) }
        case .sending: sendOn()
        // Let go of earlier in this turn.
        case nil: break
        }
    }

    /// The writer has room, or cannot write any more.
    func roomToWrite() {
        guard case .transferring(let easy) = stage, case .writing(let file) = reception else { return }
        if let failure = writer?.failure { return conclude(stop: .failure(failure)) }
        if taken?.direction == .receiving { receive(into: file) } else { goOn(easy) }
    }

    /// So much of libcurl's data waits until the writer has room.
    func waitForRoom(_ count: Int) -> Int {
        guard let writer, !writer.awaitRoom(for: count) else { return Int(CURL_WRITEFUNC_PAUSE) }
        if let failure = writer.failure { stop = .failure(failure) }
        // There is room by now; libcurl is asked to come again.
        thread.comeAgain(self)
        return Int(CURL_WRITEFUNC_PAUSE)
    }

    /// Leaves the rest of the body to libcurl.
    func giveBack() {
        guard case .transferring(let easy) = stage, taken != nil else { return }
        mustUseLibcurl = true
        dropTaken()
        goOn(easy)
    }

    func dropTaken() {
        guard let taken else { return }
        if taken.isWatched { thread.unwatchTaken(taken.descriptor) }
        if taken.direction == .receiving, let socket { taken.putBack(as: socket) }
        self.taken = nil
    }

    /// Whether the connection carries nothing but HTTP/1. libcurl's own rule for a proxy from the environment is
    /// narrower: a doubt costs speed and nothing else.
    private var isPlain: Bool {
        guard url.scheme == "http" else { return false }
        let proxies =
            plan.connecting.proxy(for: "http").map { [$0] }
            ?? ["http_proxy", "all_proxy", "ALL_PROXY"].map(environment)
        return !proxies.contains { $0.lowercased().hasPrefix("https:") }
    }

    private func take(_ easy: EasyHandle, for direction: TakenSocket.Direction) {
        guard let socket else { return giveUp(easy) }
        let port = easy.long(CURLINFO_LOCAL_PORT)
        taken = TakenSocket(of: socket, port: port, for: direction)
        guard taken != nil, direction == .sending || standIn(easy), watch() else {
            dropTaken()
            return giveUp(easy)
        }
    }

    /// Puts a socket without data in the connection's place: also at rest, libcurl 7.88 reads once more when its last
    /// look had found something to read.
    private func standIn(_ easy: EasyHandle) -> Bool {
        guard thread.pauseReceiving(easy), let socket else { return false }
        return thread.standIn(for: socket)
    }

    private func giveUp(_ easy: EasyHandle) {
        mustUseLibcurl = true
        goOn(easy)
    }

    private func watch() -> Bool {
        guard let taken, !taken.isWatched else { return true }
        self.taken?.isWatched = thread.watchTaken(taken, of: self)
        return self.taken?.isWatched == true
    }

    private func unwatch() {
        guard let taken, taken.isWatched else { return }
        thread.unwatchTaken(taken.descriptor)
        self.taken?.isWatched = false
    }
}

// The two directions.
extension Exchange {
    private func receive(into file: PartialFile) {
        guard let taken else { return }
        var left = Self.turnLength
        hasReceivedDirectly = true
        while left > 0 {
            guard let room = file.room() else { return rest(file) }
            do throws(SystemError) {
                guard let count = try taken.receive(into: room) else { break }
                if count == 0 { return conclude(code: CURLE_PARTIAL_FILE) }
                file.received(count)
                left -= Int64(count)
                noteReceived(file)
                if file.missing == 0 { return conclude(code: CURLE_OK) }
                if count < room.count { break }
            } catch {
                return conclude(code: CURLE_RECV_ERROR)
            }
        }
        writer?.offer()
        if !watch() { giveBack() }
    }

    /// The socket is left alone until the writer has room.
    private func rest(_ file: PartialFile) {
        guard let writer else { return }
        if writer.awaitRoom(for: 1) { return unwatch() }
        if let failure = writer.failure { return conclude(stop: .failure(failure)) }
        if !watch() { giveBack() }
    }

    private func sendOn() {
        guard let taken, let body else { return }
        var left = Self.turnLength
        while left > 0 {
            guard let stretch = body.stretch, stretch.count > Self.heldLength else { break }
            do throws(SystemError) {
                let count = min(stretch.count - Self.heldLength, left)
                guard let sent = try taken.send(stretch.descriptor, at: stretch.offset, count: Int(count)) else {
                    return
                }
                if sent == 0 { return conclude(stop: .failure(body.sourceHasChanged)) }
                body.skip(Int64(sent))
                sentDirectly += Int64(sent)
                left -= Int64(sent)
                progress.moved(sent: body.position, at: thread.now)
            } catch {
                // A refusal may have come before the connection broke.
                thread.lastWords.collect(from: taken.descriptor)
                return conclude(code: CURLE_SEND_ERROR)
            }
        }
        if body.stretch.map({ $0.count <= Self.heldLength }) ?? true { endSendingDirectly() }
    }

    /// The end of the file is libcurl's again.
    private func endSendingDirectly() {
        guard case .transferring(let easy) = stage else { return }
        dropTaken()
        goOn(easy)
    }
}

private func environment(_ name: String) -> String {
    ThisProcess.variable(name) ?? ""
}
